import { testHistories } from './testHistories';

testHistories(1);
