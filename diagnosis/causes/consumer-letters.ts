import { knownValue } from '../../template/told';
import { feedersOf } from '../inventory/feeders';
import { type Consumer, consumerOf } from './consumer';
import { bearings, CONSUMER_RULES, choiceOf } from './consumer-rules';
import { type Diagnosis, deathOfMessage, type FailureRecord } from './death';
import type { Evidence, SeenMessage } from './evidence';

/** What is known of the consumer of each queue letters came from. */
export class Consumers {
  private readonly known = new Map<
    string,
    Pick<FailureRecord, 'key' | 'diagnose' | 'example'> & {
      readonly isInferred: boolean;
      readonly logged: FailureRecord[];
    }
  >();

  constructor(private readonly evidence: Evidence) {}

  /** What a letter says that SQS moved, for it was received too often. Not so of one that somebody else had sent there. */
  death(seen: SeenMessage): FailureRecord | undefined {
    const { movedFromArn } = seen.decoded.message;
    if (movedFromArn === undefined || this.isDeadLetterQueue(movedFromArn)) return undefined;
    const { messageId, firstReceivedAtMs, sentAtMs } = seen.decoded.message;
    const atMs = firstReceivedAtMs || sentAtMs;
    const { key, diagnose, isInferred, example } = this.of(movedFromArn, atMs >= this.evidence.fromMs);
    return deathOfMessage(seen, { key, diagnose, isInferred, atMs, example: { ...example, messageId } });
  }

  /** What the logs of consumers tell, those letters were seen of. */
  logged(): FailureRecord[] {
    return [...this.known.values()].flatMap(({ logged }) => logged);
  }

  /** Whose letters are what others had given up. */
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
      ...rule?.diagnose(consumer),
      ...choiceOf(consumer),
      details: bearings(consumer),
    });
    const isInferred = rule?.isInferred(consumer) ?? false;
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
