import { nameInArn, parseArn } from '../../policy/arn';
import type { LiveResource, PredictedChange } from '../cloudformation';
import type { DeliveryChangeKind } from './comparison';
import { arnsIn, type Becomes, type End, type Operation } from './message-history';
import type { Fate, Traffic } from './traffic';

/** Why deliveries changed. */
export interface DeployCause {
  /** What becomes of the messages; undefined if they arrive. */
  readonly becomes?: Becomes;
  readonly messages: number;
  /** What happened to them. */
  readonly why: string;
  /** What CloudFormation did then, or last before it, with a resource that is concerned. Undefined before the update. */
  readonly operation?: {
    readonly verb: 'CREATE' | 'UPDATE' | 'DELETE';
    /** `Stack/LogicalId`. */
    readonly resource: string;
    readonly resourceType: string;
    /** Seconds since the update began. */
    readonly fromSeconds: number;
    readonly toSeconds: number;
  };
}

/** The changes of all stacks, and what they have before the update. */
export interface StackChanges {
  readonly stack: string;
  readonly changes: readonly PredictedChange[];
  readonly live: readonly LiveResource[];
}

const ARRIVES: Readonly<Record<string, string>> = {
  duplicated: 'it was delivered more than once',
  late: 'it arrived late',
};

const NOTHING_RECEIVED = 'nothing received it';

/** The verbs and types of the operations that are likely to be the reason, by what happened. */
const LIKELY: readonly (readonly [RegExp, RegExp])[] = [
  [/cannot be received/, /::Key$|Policy$/],
  [/the schedule/, /::(?:Schedule|Rule)$/],
  [/no dead-letter queue/, /::(?:Subscription|Rule|Schedule|EventSourceMapping)$/],
  [/its dead-letter queue does not/, /Policy$|::Key$|::Role$/],
  [/refuses to take/, /^DELETE .*::(?:Topic|Queue)$|Policy$/],
  [/takes it any more/, /::(?:Bucket|EventSourceMapping)$|::S3BucketNotifications$/],
  [/is refused/, /Policy$|::Permission$|::Role$|::Key$/],
  [/throttles/, /::Function$/],
  [/no subscription/, /^DELETE .*::Subscription$/],
  [/filter policy/, /::Subscription$/],
  [/no rule/, /::Rule$/],
  [/no mapping/, /^DELETE .*::EventSourceMapping$/],
  [/mapping|waits in/, /::EventSourceMapping$/],
  [/the queue was/, /^DELETE .*::Queue$/],
  [/nothing received/, /^DELETE .*::(?:Subscription|Rule)$/],
];

/** Why a message has no end in the trace: what sends to the receiver was deleted, or sends no longer. */
const WITHOUT_SENDER: readonly (readonly [RegExp, string])[] = [
  [/^DELETE .*::Subscription$/, 'it was published while the receiver had no subscription'],
  [/^DELETE .*::Rule$/, 'no rule sent it to the receiver'],
  [/::Schedule$/, 'the schedule did not send it'],
  [/::EventSourceMapping$/, 'the mapping did not pass it on'],
  [/::Bucket$|::S3BucketNotifications$/, 'the bucket did not notify the receiver'],
];

/** Explains what happened to messages by the trace: the end of each, and the operation of the update that is concerned. */
export class Causes {
  /** The properties of each changed resource, before and after, as text. */
  private readonly properties: ReadonlyMap<string, string>;

  /** @param traffic of the update */
  constructor(
    private readonly traffic: Traffic,
    stacks: readonly StackChanges[],
  ) {
    const entries = stacks.flatMap(({ stack, changes }) =>
      changes.map(({ logicalId, before, after }) => {
        const text = JSON.stringify([before?.ref, before?.properties, after]) ?? '';
        return [`${stack}/${logicalId}`, text] as const;
      }),
    );
    this.properties = new Map(entries);
  }

  /** The causes of one kind of change at one receiver, each with the number of its messages. */
  of(receiver: string, kind: DeliveryChangeKind, fates: readonly Fate[]): readonly DeployCause[] {
    const counted = new Map<string, DeployCause>();
    const known = this.traffic.arnsOf(receiver);
    const arns = known.length > 0 ? known : [receiver];
    for (const fate of fates) {
      const cause = this.causeOf(kind, fate, arns);
      const key = JSON.stringify(cause);
      counted.set(key, { ...cause, messages: (counted.get(key)?.messages ?? 0) + 1 });
    }
    return [...counted.values()];
  }

  /** Explains a change by what the new version has when the update has ended. */
  ofNewVersion({ why, arns, messages }: Pick<DeployCause, 'why' | 'messages'> & Pick<End, 'arns'>): DeployCause {
    const operation = this.operationAt(Number.POSITIVE_INFINITY, arns, why);
    const described = operation && { operation: this.described(operation) };
    return { becomes: 'lost', messages, why: this.traffic.withNames(why), ...described };
  }

  private causeOf(kind: DeliveryChangeKind, fate: Fate, arns: readonly string[]): DeployCause {
    const { startMs } = this.traffic;
    const end = ARRIVES[kind] === undefined ? this.endOf(kind, fate, arns) : undefined;
    const atMs = Math.max(end?.atMs ?? 0, startMs + Math.max(fate.sentAt, 0) * 1000);
    const why = end?.why ?? ARRIVES[kind] ?? NOTHING_RECEIVED;
    const operation = this.operationAt(atMs, [...new Set([...(end?.arns ?? []), ...arns])], why);
    const { verb, resourceType } = operation ?? {};
    const [, withoutSender] = WITHOUT_SENDER.find(([deletion]) => deletion.test(`${verb} ${resourceType}`)) ?? [];
    return {
      ...(end && { becomes: end.becomes }),
      messages: 1,
      why: this.traffic.withNames(why === NOTHING_RECEIVED ? (withoutSender ?? why) : why),
      ...(operation && { operation: this.described(operation) }),
    };
  }

  /** The end of a message that a receiver does not get: at the receiver, if the trace has one, or else the last one. */
  private endOf(
    kind: DeliveryChangeKind,
    { token, kept }: Fate,
    arns: readonly string[],
  ): Omit<End, 'atMs'> & { readonly atMs?: number } {
    const { ends, troubles } = this.traffic.history;
    // Where a message is left behind matters, not how it came there.
    const [unreadable] = arns.flatMap(arn => this.traffic.unreadable.get(arn) ?? []);
    if (kind === 'lost' && kept.size === 0 && unreadable !== undefined) {
      return { becomes: 'lost', why: `it cannot be received from its queue: ${unreadable}`, arns: arnsIn(unreadable) };
    }
    const own = kind === 'left-behind' ? [] : (ends.get(token) ?? []);
    const end = own.findLast(it => it.arns.some(arn => arns.includes(arn)));
    const trouble = arns.flatMap(arn => troubles.get(arn) ?? [])[0];
    // A message that was received and never deleted has died of what befell its function.
    if (end?.becomes === 'dead-lettered' && trouble !== undefined && !end.why.includes(trouble)) {
      return { ...end, why: `${trouble}; ${end.why}` };
    }
    if (end) return end;
    const [queue] = kept;
    const becomes = queue === undefined ? 'lost' : this.traffic.isDead(queue) ? 'dead-lettered' : 'waiting';
    const elsewhere = own.findLast(it => it.becomes !== 'filtered');
    if (trouble === undefined && queue === undefined && elsewhere) return elsewhere;
    const waits = queue === undefined ? NOTHING_RECEIVED : `it waits in ${queue}, from which nothing receives it`;
    return { becomes, why: trouble ?? waits, arns: [] };
  }

  /** The operation under way on a resource that is concerned, or else the last one before; the first one if none was before. */
  private operationAt(atMs: number, arns: readonly string[], why: string): Operation | undefined {
    const concerned = this.traffic.history.operations.filter(it => arns.some(arn => this.concerns(it, arn)));
    const wanted = LIKELY.find(([said]) => said.test(why))?.[1];
    const likely = concerned.filter(it => it.fromMs <= atMs && wanted?.test(`${it.verb} ${it.resourceType}`));
    const all = [likely, concerned, this.traffic.history.operations].find(({ length }) => length > 0) ?? [];
    const begun = all.filter(({ fromMs }) => fromMs <= atMs);
    const underWay = begun.filter(({ toMs }) => toMs === undefined || toMs >= atMs);
    return underWay.at(-1) ?? begun.at(-1) ?? all[0];
  }

  private concerns({ resource, physicalId }: Operation, arn: string): boolean {
    const { account = '' } = parseArn(arn) ?? {};
    const queueUrlEnd = `/${account}/${nameInArn(arn)}`;
    if (physicalId === arn || physicalId?.endsWith(queueUrlEnd) || physicalId === nameInArn(arn)) return true;
    const text = this.properties.get(resource) ?? '';
    // A receiver outside of AWS has no ARN.
    if (!arn.startsWith('arn:')) return text.includes(arn);
    return text.includes(`"${arn}"`) || text.includes(`${queueUrlEnd}"`);
  }

  private described({ verb, resource, resourceType, fromMs, toMs }: Operation): DeployCause['operation'] {
    const seconds = (ms: number) => (ms - this.traffic.startMs) / 1000;
    const known = verb === 'CREATE' || verb === 'DELETE' ? verb : 'UPDATE';
    return {
      verb: known,
      resource,
      resourceType,
      fromSeconds: seconds(fromMs),
      toSeconds: seconds(toMs ?? fromMs),
    };
  }
}
