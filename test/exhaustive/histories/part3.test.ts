import { testHistories } from './testHistories';

testHistories(3);
