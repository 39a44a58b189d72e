/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type ExampleWorld } from '../exampleWorld';

const HOUR = 3_600_000;

/** The readings, the forecast and the warning, started by hand at times of day that fit. */
export function tests({ instance, mailServer, received, own, succeedFrom, table }: ExampleWorld): void {
  beforeEach(() => table.clear());
  /** Reads the balance where it is this time of day; returns the latest row. */
  const readAt = async (hour: number, credits: number) => {
    instance().sandbox.setCredits(credits);
    const settings = { executionOrder: 'v1', timezone: timeZoneWithHour(hour) };
    await succeedFrom('Every Hour', await own((node) => node, { settings }));
    return (await table.rows()).at(-1);
  };
  const reading = (hoursAgo: number, credits: number) => ({
    read_at: new Date(Date.now() - hoursAgo * HOUR).toISOString(),
    credits,
  });
  const subjects = () =>
    mailServer()
      .mails()
      .map(({ subject }) => subject);

  test('The forecast is made of the credits used in the last days, whatever was topped up', async () => {
    assert.match(String((await readAt(12, 1600))?.forecast), /^After a day of readings/);
    await table.clear();
    await table.insert(reading(48, 1000), reading(30, 800), reading(20, 1800));
    const row = await readAt(12, 1600);
    const timeZone = timeZoneWithHour(12);
    const day = new Date(Date.now() + 8 * 24 * HOUR);
    const date = day.toLocaleDateString('en-GB', { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
    assert.deepEqual(
      [row?.credits, row?.used_per_day, row?.forecast],
      [1600, 200, `The credits last until ${date.replace(',', '')}`],
    );
    assert.deepEqual(mailServer().mails(), []);
  });

  test('It warns when the credits drop below what the largest list needs, and then each morning', async () => {
    await readAt(12, 500);
    assert.deepEqual(subjects(), []);
    await readAt(13, 499);
    await readAt(14, 498);
    assert.deepEqual(subjects(), ['Messaging credits are low: 499 left']);
    await readAt(8, 400);
    assert.deepEqual(subjects().slice(1), ['Messaging credits are low: 400 left']);
    const [mail] = mailServer().mails();
    assert.match(mail?.text ?? '', /^499 messaging credits are left, and your largest list needs 500\. After a day/);
    await readAt(8, 500);
    assert.equal(subjects().length, 2);
    assert.deepEqual(received(), []);
  });
}

function timeZoneWithHour(hour: number): string {
  const ahead = hour - new Date().getUTCHours();
  const offset = ahead < -12 ? ahead + 24 : ahead;
  return `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}
