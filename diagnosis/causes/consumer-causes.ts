import { capitalized } from '../../policy/format-text';
import { knownValue } from '../../template/maybe-known';
import { type QueueSource, raiseVisibilityTimeout, resumeMapping, visibilityFor } from '../fixes/change-settings';
import { giveConcurrency } from '../fixes/grant-access';
import { feedersOf } from '../inventory/feeders';
import { mayLack } from '../inventory/inventory';
import { type Diagnosis, type FailureRecord, failureOfMessage } from './cause';
import { type Consumer, consumerOf } from './consumer';
import type { Evidence, SampledMessage } from './evidence';
import { diagnoseFunction, functionCalled } from './function-causes';

/** The consumers of the queues that messages came from. */
export class Consumers {
  private readonly known = new Map<
    string,
    Pick<FailureRecord, 'key' | 'diagnose' | 'example'> & {
      readonly isInferred: boolean;
      readonly logged: FailureRecord[];
    }
  >();

  constructor(private readonly evidence: Evidence) {}

  /**
   * The failure of a message that SQS moved because it was received too often; undefined if it was sent there by
   * something else.
   */
  failureOf(seen: SampledMessage): FailureRecord | undefined {
    const { movedFromArn } = seen.decoded.message;
    if (movedFromArn === undefined || this.isDeadLetterQueue(movedFromArn)) return undefined;
    const { messageId, firstReceivedAtMs, sentAtMs } = seen.decoded.message;
    const atMs = firstReceivedAtMs || sentAtMs;
    const { key, diagnose, isInferred, example } = this.of(movedFromArn, atMs >= this.evidence.fromMs);
    return failureOfMessage(seen, { key, diagnose, isInferred, atMs, example: { ...example, messageId } });
  }

  /** The failures in the logs of consumers whose messages were sampled. */
  logged(): FailureRecord[] {
    return [...this.known.values()].flatMap(({ logged }) => logged);
  }

  /** Whether messages of this queue were already dead letters there. */
  private isDeadLetterQueue(arn: string): boolean {
    return feedersOf(arn, this.evidence.inventory).length > 0;
  }

  private of(sourceArn: string, isCovered: boolean) {
    const name = `${sourceArn} ${isCovered}`;
    const known = this.known.get(name);
    if (known) return known;
    const consumer = consumerOf(sourceArn, this.evidence, isCovered);
    const made = this.learn(sourceArn, consumer);
    this.known.set(name, made);
    return made;
  }

  private learn(sourceArn: string, consumer: Consumer) {
    const { facts, queue, evidence, kinds } = consumer;
    const rule = CONSUMER_RULES.find(({ applies }) => applies(consumer));
    const [kind] = kinds;
    const attempts = knownValue((queue && knownValue(queue.redrivePolicy))?.maxReceiveCount ?? { unknownBecause: '' });
    const key = {
      failed: 'consumer' as const,
      by: sourceArn,
      code: rule?.code(consumer) ?? '',
      destination: facts?.arn ?? sourceArn,
    };
    const diagnose = (): Diagnosis => ({
      says: '',
      ...(rule?.id !== undefined && { rule: rule.id }),
      ...rule?.diagnose(consumer),
      ...possibleFailures(consumer),
      details: otherFacts(consumer),
    });
    // The queue may be a dead-letter queue itself, which has no consumer.
    const isUnsure = kinds.length === 0 && mayLack(this.evidence.inventory, 'feeders');
    const isInferred = isUnsure || (rule?.isInferred(consumer) ?? false);
    const example = {
      messageId: kind?.last.requestId ?? '',
      answer: kind?.last.error ?? '',
      ...(attempts !== undefined && { attempts }),
      ...(kind && evidence && { log: { group: evidence.logGroupName, lines: [kind.last.line] } }),
    };
    const logged = kind
      ? [
          {
            key,
            diagnose,
            isInferred,
            example,
            firstAtMs: kind.firstAtMs,
            lastAtMs: kind.last.atMs,
            messages: 0,
            deliveries: kind.count,
          },
        ]
      : [];
    return { key, diagnose, isInferred, example, logged };
  }
}

/** A reason why a consumer's messages become dead letters. The first that applies counts. */
interface ConsumerRule {
  /** @default - its fix never has calls, or it is that of another rule */
  readonly id?: string;
  applies(consumer: Consumer): boolean;
  /** Whether the reason is an inference, which no log confirms. */
  isInferred(consumer: Consumer): boolean;
  code(consumer: Consumer): string;
  diagnose(consumer: Consumer): Diagnosis;
}

function fedBy({ mapping, queue }: Consumer): { readonly fedBy?: QueueSource } {
  return mapping ? { fedBy: { queue, mapping } } : {};
}

/** The failures one of which caused a dead letter, if there are several: no log says which. */
function possibleFailures({ kinds }: Consumer): Pick<Diagnosis, 'oneOf'> {
  if (kinds.length < 2) return {};
  return { oneOf: kinds.map(({ common: code, count: times, last }) => ({ code, times, lastAtMs: last.atMs })) };
}

function shortVisibility({
  queue,
  facts,
}: Consumer): { readonly hidden: number; readonly timeout: number } | undefined {
  const hidden = queue && knownValue(queue.visibilityTimeoutSeconds);
  const timeout = facts && knownValue(facts.timeoutSeconds);
  return hidden !== undefined && timeout !== undefined && hidden < timeout ? { hidden, timeout } : undefined;
}

function otherFacts(consumer: Consumer): string[] {
  const { state, evidence, kinds, isShared } = consumer;
  const short = shortVisibility(consumer);
  const problem = state?.lastProcessingResult?.startsWith('PROBLEM');
  return [
    ...(kinds.length > 1 ? ['Its log does not say which of them caused a dead letter: fix all of them first.'] : []),
    ...(isShared && kinds.length > 0
      ? [
          `Other sources ${isShared === 'maybe' ? 'may ' : ''}invoke it as well, and its log does not say on whose events it failed.`,
        ]
      : []),
    ...(evidence?.unread === undefined ? [] : [`Its log ${evidence.logGroupName} ${evidence.unread}.`]),
    ...(evidence?.throttles
      ? [
          `Lambda throttled it ${evidence.throttles} times. Each time, a message used one of its maxReceiveCount receives.`,
        ]
      : []),
    ...(state && state.state !== 'Enabled' ? [`Its event source mapping is ${state.state} now.`] : []),
    ...(problem ? [`Lambda reports for its mapping: ${state?.lastProcessingResult}`] : []),
    ...(short
      ? [`The visibility timeout of the queue is ${short.hidden} s, but the function may take ${short.timeout} s.`]
      : []),
  ];
}

const atFault = ({ functionName, sourceName }: Consumer) =>
  `${capitalized(functionCalled(functionName))}, which reads ${sourceName},`;

function visibilityDiagnosis(consumer: Consumer): Diagnosis {
  const { queue, facts, sourceName } = consumer;
  const short = shortVisibility(consumer);
  const timeout = facts && knownValue(facts.timeoutSeconds);
  const call = raiseVisibilityTimeout(
    queue,
    visibilityFor(timeout ?? 0, knownValue(consumer.mapping?.batchingWindowSeconds ?? 0)),
  );
  return {
    says: `Messages of ${sourceName} become visible again after ${short?.hidden} s, while the function may still work on them: its timeout is ${short?.timeout} s.`,
    fix: {
      says: `Set the visibility timeout of ${sourceName} to six times the function's timeout, as AWS recommends.`,
      ...(call && { calls: [call] }),
    },
  };
}

/** The last rule covers everything else. */
export const CONSUMER_RULES: readonly ConsumerRule[] = [
  {
    applies: ({ kinds }) => kinds.length > 0,
    isInferred: ({ kinds, isShared, evidence }) =>
      kinds.length > 1 || isShared !== false || (evidence?.throttles ?? 0) > 0,
    code: ({ kinds }) => kinds[0]?.common ?? '',
    diagnose: consumer => {
      const { functionName: name, facts, kinds } = consumer;
      const error = kinds[0]?.last.error ?? '';
      return diagnoseFunction({
        ...(name !== undefined && { name }),
        ...(facts && { facts }),
        statusCode: 200,
        error,
        inventory: consumer.inventory,
        ...fedBy(consumer),
      });
    },
  },
  {
    applies: ({ queue, isAccountKnown }) => !queue && isAccountKnown.queues,
    isInferred: () => false,
    code: () => 'no source queue',
    diagnose: ({ sourceName }) => ({
      says: `They came from the queue ${sourceName}, which no longer exists.`,
      fix: { says: `Deploy ${sourceName} again, or send them elsewhere.` },
    }),
  },
  {
    applies: ({ mapping, isAccountKnown }) => !mapping && isAccountKnown.mappings,
    isInferred: () => false,
    code: () => 'no function reads it',
    diagnose: ({ sourceName }) => ({
      says: `No function reads ${sourceName}: a consumer elsewhere received the messages and did not delete them, and it logs elsewhere.`,
      fix: {
        says: `Look at the log of the consumer of ${sourceName}: it failed on each message as often as maxReceiveCount allows.`,
      },
    }),
  },
  {
    applies: ({ functionName, facts, isAccountKnown }) =>
      functionName !== undefined && !facts && isAccountKnown.functions,
    isInferred: () => true,
    code: () => 'no function',
    diagnose: ({ sourceName, functionName }) => ({
      says: `The function ${functionName}, which should read ${sourceName}, no longer exists.`,
      fix: { says: 'Deploy it again under the same name.' },
    }),
  },
  {
    id: 'consumer-throttled',
    applies: ({ evidence, facts }) =>
      (evidence?.throttles ?? 0) > 0 || (facts !== undefined && knownValue(facts.reservedConcurrency) === 0),
    isInferred: () => true,
    code: () => 'throttled',
    diagnose: consumer => ({
      says: `${atFault(consumer)} was throttled: messages that Lambda cannot process go back to the queue, and have used up a receive.`,
      ...(consumer.facts && { fix: giveConcurrency(consumer.facts) }),
    }),
  },
  {
    id: 'visibility-too-short',
    applies: consumer => shortVisibility(consumer) !== undefined,
    isInferred: () => true,
    code: () => 'visibility shorter than the timeout',
    diagnose: visibilityDiagnosis,
  },
  {
    id: 'mapping-disabled',
    applies: ({ state }) => state !== undefined && state.state !== 'Enabled',
    isInferred: () => true,
    code: () => 'mapping disabled',
    diagnose: consumer => ({
      says: `${atFault(consumer)} does not run: its event source mapping is ${consumer.state?.state}. Another consumer received the messages.`,
      ...(consumer.state && { fix: resumeMapping(consumer.state.uuid, consumer.state.functionArn) }),
    }),
  },
  {
    applies: () => true,
    isInferred: () => false,
    code: () => 'received too often',
    diagnose: ({ sourceName, mapping, evidence, isAccountKnown }) => {
      const isUnread = evidence?.unread !== undefined || (!mapping && !isAccountKnown.mappings);
      const [why, says] = isUnread
        ? ['The log that may say why was not read.', 'Look at the log of its consumer.']
        : ['No log in this period says why.', 'Look further back with --since, or make the consumer log its failures.'];
      return {
        says: `${sourceName} delivered them as often as maxReceiveCount allows, and they were never deleted. ${why}`,
        fix: { says },
      };
    },
  },
];
