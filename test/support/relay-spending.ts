import type { LocalAws } from '../../local';
import type { Caller } from '../../local/kernel/caller';

/** How many requests a relay and its mapping made to SQS and Lambda, and how often the function ran. */
export interface Spent {
  readonly received: number;
  /** Receives without a message. AWS's own pollers make them even if there are few messages. */
  readonly receivedNothing: number;
  readonly deleted: number;
  readonly hidden: number;
  readonly deadLettered: number;
  /** All other requests. */
  readonly others: readonly string[];
  readonly invocations: number;
}

/** A service of the embedded AWS, as its callers see it. */
interface Asked {
  call(action: string, caller: Caller, input: object): unknown;
}

const NOTHING = 'nothing received';

/** The actions that each number counts. */
const COUNTED = {
  received: 'ReceiveMessage',
  receivedNothing: NOTHING,
  deleted: 'DeleteMessageBatch',
  hidden: 'ChangeMessageVisibilityBatch',
  deadLettered: 'SendMessage',
} as const;

/** Records the actions that are requested with the role, from now on. */
function note(service: Asked, role: string, asked: string[]): void {
  const call = service.call.bind(service);
  service.call = (action, caller, input) => {
    const answer = call(action, caller, input);
    const isEmpty = action === 'ReceiveMessage' && !JSON.stringify(answer).includes('"MessageId"');
    if (JSON.stringify(caller.principal).includes(`/${role}`)) asked.push(isEmpty ? NOTHING : action);
    return answer;
  };
}

/**
 * Counts the requests with the role of a relay from now on. Its mapping uses the same role.
 * @param role its name
 */
export function relaySpending(aws: LocalAws, role: string, functionArn: string): () => Spent {
  const { sqs, lambda } = aws.services;
  const asked: string[] = [];
  for (const service of [sqs, lambda]) note(service, role, asked);
  const count = (figure: keyof typeof COUNTED) => asked.filter(action => action === COUNTED[figure]).length;
  return () => ({
    received: count('received'),
    receivedNothing: count('receivedNothing'),
    deleted: count('deleted'),
    hidden: count('hidden'),
    deadLettered: count('deadLettered'),
    others: asked.filter(action => !Object.values<string>(COUNTED).includes(action)),
    invocations: aws.trace.events.filter(it => it.type === 'lambda.invoked' && it.functionArn === functionArn).length,
  });
}
