import { response } from '../../local';
import type { Deployed } from '../support/deployed';
import { EXAMPLES, load } from '../support/examples';
import { grantsToTry } from '../support/least-privilege';
import type { Use } from '../support/stack-use';

const PARTNERS = ['partner.example.com', 'archive.example.com'];

/** With retries within the minute, these make more than the ten attempts that a breaker requires. */
const ORDERS = 8;

/**
 * Lets the partners of the relays fail for a while, which opens the breakers, and then disappear. A single order comes
 * first. If its result already differs, the run ends before the many orders are tried.
 */
async function usePartners(deployed: Deployed): Promise<readonly string[]> {
  const partners = PARTNERS.map(host => deployed.aws.endpoint(host));
  await deployed.publish('/Orders/OrdersTopic', 'the first order');
  await deployed.advance({ minutes: 1 });
  for (const partner of partners) partner.behave({ reply: response(503) });
  for (let i = 0; i < ORDERS; i += 1) await deployed.publish('/Orders/OrdersTopic', `order ${i}`);
  await deployed.advance({ minutes: 12 });
  for (const partner of partners) partner.behave({ reply: response(410) });
  await deployed.advance({ minutes: 20 });
  for (const partner of partners) partner.behave();
  return partners.map(({ requests }) => `a partner had ${requests.length} requests`);
}

/** How an example is used, in addition to how every stack is used. */
const MORE: Readonly<Record<string, Use>> = { 'relay.ts': usePartners };

/** Other tests remove single actions. The constructs write the same statements in every example, so here whole statements are removed. */
describe.each(EXAMPLES)('Every grant of docs/examples/%s is needed', file => {
  const assembly = load(file).app.synth().directory;
  const more = MORE[file];

  test.each(grantsToTry(assembly, { grain: 'statement', ...(more && { more }) }))(
    '$grant',
    async ({ isNeeded, isMissed }) => {
      expect(await isMissed()).toBe(isNeeded);
    },
  );
});
