import { displayNameOf } from '../../policy/arn';
import { knownValue } from '../../template/maybe-known';
import type { Fix } from '../fixes/fix';
import { mayAccess } from '../fixes/let-in';
import { type StreamRefusal, streamRefusal } from '../fixes/stream-refusals';
import type { Inventory } from '../inventory/inventory';
import { streamOf } from '../inventory/look-ups';
import { type AnswerRule, type FailedDelivery, fixAccess } from './answer-rule';
import { roleAccess } from './role-access';

const PUT_RECORD = 'firehose:PutRecord';

function roleOf({ subscription }: Pick<FailedDelivery, 'subscription'>): string | undefined {
  return subscription?.roleArn && knownValue(subscription.roleArn);
}

/** Whether the role of a subscription may write to the stream; undefined if it has none that is known. */
export function mayWrite(subscription: FailedDelivery['subscription'], stream: string, inventory: Inventory) {
  const roleArn = roleOf({ ...(subscription && { subscription }) });
  return roleArn === undefined ? undefined : mayAccess(roleAccess(roleArn, PUT_RECORD, stream, inventory));
}

/** The role may not write; or, if its policies allow that, SNS may not assume the role. */
function allowWriting(failed: FailedDelivery): Fix {
  const { destination, inventory } = failed;
  const roleArn = roleOf(failed);
  if (roleArn === undefined) {
    return {
      says: `Give the subscription a role that SNS may assume and that may call ${PUT_RECORD} on ${destination}.`,
    };
  }
  const access = roleAccess(roleArn, PUT_RECORD, destination, inventory);
  if (mayAccess(access) !== 'yes') return fixAccess(access);
  return {
    says: `The policies of the role ${displayNameOf(roleArn)} already allow it. If it still fails, SNS may not assume the role: its trust policy needs this statement.`,
    statement: { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sts:AssumeRole' },
  };
}

const name = ({ destination }: FailedDelivery) => displayNameOf(destination);

interface UnknownState extends Pick<StreamRefusal, 'code' | 'says'> {
  readonly fix: string;
}

/** What an answer says about a stream whose state is unknown, or has changed since. */
const UNKNOWN_STATES: readonly UnknownState[] = [
  {
    code: 'ResourceNotFoundException',
    says: 'does not exist, or was not active: it was deleted, or is being created',
    fix: 'See its status with aws firehose describe-delivery-stream. Deploy it again under the same name, or unsubscribe it; then redrive the messages.',
  },
  {
    code: 'InvalidArgumentException',
    says: 'refuses the record: for example, it reads a Kinesis stream, and then takes no records from SNS',
    fix: 'Subscribe a stream whose source is Direct PUT; see the answer in the example.',
  },
  {
    code: 'InvalidKMSResourceException',
    says: 'cannot use its key: the key is disabled or deleted, or Firehose may not use it',
    fix: 'Enable the key, or let the stream use it again (its grant), or give the stream another key.',
  },
];

/** The state of the stream as it is now, if that explains the answer. */
function whatItIs(failed: FailedDelivery, { code, says, fix }: UnknownState): { says: string; fix: Fix } {
  const stream = streamOf(failed.destination, failed.inventory);
  const refusal = stream && streamRefusal(stream, failed.inventory);
  if (refusal?.code === code) return { says: `The stream ${name(failed)} ${refusal.says}.`, fix: refusal.fix };
  const isActive = code === 'ResourceNotFoundException' && stream?.status === 'ACTIVE';
  if (!isActive) return { says: `The stream ${name(failed)} ${says}.`, fix: { says: fix } };
  const now = `The stream ${name(failed)} did not exist, or was not active. It is active now.`;
  return { says: now, fix: { says: 'Redrive the messages.' } };
}

/**
 * Firehose's answers to SNS, which calls PutRecord with the role of the subscription. Firehose reports throttling as
 * ServiceUnavailableException.
 * @see https://docs.aws.amazon.com/firehose/latest/APIReference/API_PutRecord.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/firehose-example-subscribe.html
 */
export const STREAM_ANSWERS: readonly AnswerRule[] = [
  {
    id: 'stream-denies-sns',
    codes: ['AccessDeniedException', 'AccessDenied'],
    diagnose: failed => ({
      says: `The role of the subscription may not write to the stream ${name(failed)}, or SNS may not assume that role.`,
      fix: allowWriting(failed),
    }),
  },
  ...UNKNOWN_STATES.map(
    (unknown): AnswerRule => ({
      codes: [unknown.code],
      diagnose: failed => whatItIs(failed, unknown),
    }),
  ),
  {
    codes: ['ServiceUnavailableException', 'Throttling', 'ThrottlingException', 'LimitExceededException'],
    diagnose: failed => ({
      says: `Firehose throttled the stream ${name(failed)}, or failed, for longer than SNS retries.`,
      fix: {
        says: 'No fix is needed once this is over: redrive the messages. If more is published than the stream takes, ask AWS for a higher quota of it.',
      },
    }),
  },
];
