import { AwsError } from '../../kernel/aws-error';
import { rootArn } from '../../kernel/caller';
import { isObject, type JsonObject } from '../../kernel/json';
import { isEntryId } from '../../kernel/messaging';
import { invalidParameterValue, invalidValue, missingParameter } from '../errors';
import { checkPolicyLimits, MAX_PERMITTED_ACTIONS } from '../limits';
import type { Queue } from '../queue/queue';
import { changed } from '../queue/queue-attributes';
import type { SqsState } from '../sqs-state';
import { onOwnQueue, type SqsFamily } from './sqs-action';

const PERMITTED = [
  '*',
  'ChangeMessageVisibility',
  'DeleteMessage',
  'GetQueueAttributes',
  'GetQueueUrl',
  'ListDeadLetterSourceQueues',
  'PurgeQueue',
  'ReceiveMessage',
  'SendMessage',
];

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-customer-managed-policy-examples.html */
const OWNERS_ALONE = [
  'AddPermission',
  'CancelMessageMoveTask',
  'CreateQueue',
  'DeleteQueue',
  'ListMessageMoveTasks',
  'ListQueueTags',
  'ListQueues',
  'RemovePermission',
  'SetQueueAttributes',
  'StartMessageMoveTask',
  'TagQueue',
  'UntagQueue',
];

export const permissionActions = {
  /**
   * Adds a statement to the queue's policy in the format of AWS. Only AWS knows which accounts exist, so any twelve
   * digits are accepted.
   */
  AddPermission: onOwnQueue((state, queue, { input }) => {
    const { Label = '', AWSAccountIds: accounts = [], Actions: actions = [] } = input;
    checkLabel(Label);
    checkActions(actions);
    if (accounts.length === 0 || accounts.some(account => !/^\d{12}$/.test(account))) {
      throw invalidValue(`[${accounts.join(', ')}]`, 'PrincipalId', 'Unable to verify.');
    }
    const { document, statements } = policyOf(queue);
    if (statements.some(({ Sid }) => Sid === Label)) throw invalidValue(Label, 'Label', 'Already exists.');
    const { partition } = state.context.place;
    const statement = {
      Sid: Label,
      Effect: 'Allow',
      Principal: { AWS: oneOrAll(accounts.map(account => rootArn(partition, account))) },
      Action: oneOrAll(actions.map(action => `SQS:${action}`)),
      Resource: queue.arn,
    };
    setStatements(state, queue, document, [...statements, statement]);
  }),

  /** Removes the statement with this label from the queue's policy. A policy without statements is removed. */
  RemovePermission: onOwnQueue((state, queue, { input: { Label = '' } }) => {
    checkLabel(Label);
    const { document, statements } = policyOf(queue);
    const rest = statements.filter(({ Sid }) => Sid !== Label);
    if (rest.length === statements.length) throw invalidValue(Label, 'Label', "can't find label on existing policy.");
    setStatements(state, queue, document, rest);
  }),
} satisfies SqsFamily;

function checkLabel(label: string): void {
  if (label === '') throw missingParameter('Label');
  if (isEntryId(label)) return;
  throw invalidParameterValue(
    'Label can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
  );
}

function checkActions(actions: readonly string[]): void {
  if (actions.length === 0) throw missingParameter('Actions');
  if (actions.length > MAX_PERMITTED_ACTIONS) {
    throw new AwsError(
      'OverLimit',
      `${actions.length} Actions were found, maximum allowed is ${MAX_PERMITTED_ACTIONS}.`,
      403,
    );
  }
  const refused = actions.find(action => !PERMITTED.includes(action));
  if (refused === undefined) return;
  const reason = OWNERS_ALONE.includes(refused)
    ? 'Only the queue owner is allowed to invoke this action.'
    : 'Please refer to the appropriate WSDL for a list of valid actions.';
  throw invalidValue(`SQS:${refused}`, 'ActionName', reason);
}

/** AWS writes a list of one member as that member. */
function oneOrAll(items: readonly string[]): string | readonly string[] | undefined {
  return items.length === 1 ? items[0] : items;
}

/**
 * Returns the queue's policy as its owner wrote it, with its statements as a list. Without a policy, returns the empty
 * policy that AWS starts with.
 */
function policyOf(queue: Queue): { readonly document: JsonObject; readonly statements: readonly JsonObject[] } {
  const text = queue.attributes['Policy'];
  if (text === undefined) {
    return { document: { Version: '2008-10-17', Id: `${queue.arn}/SQSDefaultPolicy` }, statements: [] };
  }
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) throw new TypeError(`the policy of ${queue.arn} is not a JSON object: ${text}`);
  const { Statement: statements } = document;
  const list: readonly unknown[] = Array.isArray(statements) ? statements : [statements];
  return { document, statements: list.filter(isObject) };
}

/**
 * Sets the queue's policy to these statements. Without statements, removes the policy.
 * @throws AwsError `OverLimit` "if the maximum number of permissions for the queue is reached"
 */
function setStatements(state: SqsState, queue: Queue, document: JsonObject, statements: readonly JsonObject[]): void {
  const policy = { ...document, Statement: statements };
  const Policy = statements.length > 0 ? JSON.stringify(policy) : '';
  checkPolicyLimits(Policy, policy);
  queue.setAttributes(changed(queue.attributes, { Policy }));
  state.context.trace.record({ type: 'sqs.attributes-set', queueArn: queue.arn, attributes: ['Policy'] });
}
