import { response } from '../../local';
import type { Deployed } from '../support/deployed';
import type { Use } from '../support/everyday-use';
import { EXAMPLES, load } from '../support/examples';
import { grantsToTry } from '../support/least-privilege';

const PARTNERS = ['partner.example.com', 'archive.example.com'];

/** Tried anew within the minute, they make more than the ten attempts a breaker wants to see before it judges. */
const ORDERS = 8;

/**
 * Those whom the relays post to are down for a while, which opens the breakers, and then gone for good. A single order comes
 * first: what it misses ends the run before the many are tried.
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

/** What is done with an example beside what is done with every stack. */
const MORE: Readonly<Record<string, Use>> = { 'relay.ts': usePartners };

/** The statements the constructs write are the same in every example: here it is by whole statement that they are missed. */
describe.each(EXAMPLES)('Every grant of docs/examples/%s is needed', file => {
  const assembly = load(file).app.synth().directory;
  const more = MORE[file];

  test.each(grantsToTry(assembly, { grain: 'statement', ...(more && { more }) }))(
    '$grant',
    async ({ because, isMissed }) => {
      expect(await isMissed()).toBe(because === undefined);
    },
  );
});
