import { response } from '../../local';
import type { Deployed } from '../support/deployed';
import { EXAMPLES, load } from '../support/examples';
import { grantsToTry } from '../support/least-privilege';
import type { Use } from '../support/stack-use';

/** The partners of the relays refuse an order. */
async function usePartners(deployed: Deployed): Promise<readonly string[]> {
  const partners = ['partner.example.com', 'archive.example.com'].map(host => deployed.aws.endpoint(host));
  for (const partner of partners) partner.behave({ reply: response(410) });
  await deployed.publish('/Orders/OrdersTopic', 'an order');
  await deployed.advance({ minutes: 1 });
  for (const partner of partners) partner.behave();
  return partners.map(({ requests }) => `a partner had ${requests.length} requests`);
}

/** How an example is used, in addition to how every stack is used. */
const MORE: Readonly<Record<string, Use>> = { 'relay.ts': usePartners };

/**
 * Other tests remove single actions, also those of the breaker. The constructs write the same statements in every example, so here
 * whole statements are removed.
 */
const OURS = /^(?!DeadLetterOfficeRelayBreaker)/;

describe.each(EXAMPLES)('Every grant of docs/examples/%s is needed', file => {
  const assembly = load(file).app.synth().directory;
  const more = MORE[file];

  test.each(grantsToTry(assembly, { grain: 'statement', ours: OURS, ...(more && { more }) }))(
    '$grant',
    async ({ isNeeded, isMissed }) => {
      expect(await isMissed()).toBe(isNeeded);
    },
  );
});
