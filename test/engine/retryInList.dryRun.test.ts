/** A Retry with 'Dry Run'. */
import { contacts } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { inFlight } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import { keptIn } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { oneByOne, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

describe.each(SENDING_OPERATIONS)('A dry run of %s in a Retry', (_name, given) => {
  const parameters = oneByOne(given);
  const dry = { parameters: withOptions(given, { dryRun: true }) };
  const failed = async () => {
    const campaign = new Campaign(sandbox(), {
      account: accountOf(sandbox()),
      mode: 'trigger',
      items: contacts(4),
      parameters: { ...parameters, requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 0 } } } },
    });
    await campaign.run(inFlight(2));
    return campaign;
  };

  test('ends with an error that says so, and the next Retry goes on where n8n was killed', async () => {
    const campaign = await failed();
    const before = keptIn(campaign.execution);
    const stored = processedData.entries;
    await campaign.run({ changes: dry });
    expect(campaign.execution.error?.message).toContain("'Dry Run' can't be used in a retry");
    expect(keptIn(campaign.execution)).toEqual(before);
    expect(processedData.entries).toEqual(stored);
    const fates = await campaign.finish({ parameters: campaign.setup.parameters });
    expect(outcomes(fates)).toEqual(['sent', 'uncertain', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
  });

  test('says so at every item with On Error set to Continue', async () => {
    const campaign = await failed();
    await campaign.run({ changes: { ...dry, onError: 'continueRegularOutput' } });
    const items = campaign.execution.outputs.flat();
    expect(items).toHaveLength(4);
    for (const item of items) {
      expect(item.json.error).toContain("'Dry Run' can't be used in a retry");
      expect(detailsOf(item).code).toBe('NOT_SET_UP');
    }
    expect(receivedPhones(sandbox())).toHaveLength(2);
  });
});
