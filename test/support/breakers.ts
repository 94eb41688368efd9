import { EventBridgeClient, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import type { Deployed } from './deployed';

/** The path of the breaker that all relays of a stack have in common. */
export const STACK_BREAKER = 'DeadLetterOfficeRelayBreaker';

/** The payload with which an operator runs the breaker for the relays of one target of its rule, at any time. */
export async function breakerPayload(deployed: Deployed, target = 0): Promise<string> {
  const client = new EventBridgeClient(deployed.aws.clientConfig());
  const Rule = deployed.ref(`${STACK_BREAKER}/Rule`);
  const { Targets = [] } = await client.send(new ListTargetsByRuleCommand({ Rule }));
  const template = Targets[target]?.InputTransformer?.InputTemplate ?? '';
  return template.replace('<source>', '"test"').replace('<time>', '""').replace('<resources>', '[]');
}
