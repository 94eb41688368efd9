import { nameInArn, parseArn } from '../../policy/arn';
import type { LiveResource, PredictedChange } from '../cloudformation';
import type { MessageHistory, Operation } from './message-history';

/** What a deployment does to a message. */
export type Effect = 'lost' | 'leftBehind' | 'doubled' | 'delayed';

/** Why messages were affected. */
export interface DeployCause {
  readonly effect: Effect;
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

/** A message that is affected. */
interface Affected {
  readonly token: string;
  readonly effect: Effect;
  readonly sentAtMs: number;
  /** The ARNs of the receiver, in both versions. */
  readonly arns: readonly string[];
}

const WITHOUT_END: Readonly<Record<Effect, string>> = {
  lost: 'nothing received it',
  leftBehind: 'a queue has it in the end',
  doubled: 'it was delivered more than once',
  delayed: 'it arrived late',
};

/** The verbs and types of the operations that are likely to be the reason, by what happened. */
const LIKELY: readonly (readonly [RegExp, RegExp])[] = [
  [/not allowed|nothing allows|AccessDenied/, /Policy$|::Permission$|::Role$|::Key$/],
  [/no subscription/, /^DELETE .*::Subscription$/],
  [/filter policy/, /::Subscription$/],
  [/no mapping/, /^DELETE .*::EventSourceMapping$/],
  [/the mapping/, /::EventSourceMapping$/],
  [/the queue was/, /^DELETE .*::Queue$/],
  [/nothing received/, /^DELETE .*::(?:Subscription|Rule)$/],
];

/** Why a message has no end in the trace: what sends to the receiver was deleted, and others got the message. */
const WITHOUT_SENDER: readonly (readonly [RegExp, string])[] = [
  [/^DELETE .*::Subscription$/, 'it was published while the receiver had no subscription'],
  [/^DELETE .*::Rule$/, 'no rule sent it to the receiver'],
];

/** Explains what happened to messages by the trace: the end of each, and the operation of the update that is concerned. */
export class Causes {
  /** The properties of each changed resource, before and after, as text. */
  private readonly properties: ReadonlyMap<string, string>;

  constructor(
    private readonly history: MessageHistory,
    private readonly startMs: number,
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

  /** The causes of the effects on the messages of one receiver, each with the number of its messages. */
  of(messages: readonly Affected[]): readonly DeployCause[] {
    const counted = new Map<string, DeployCause>();
    for (const message of messages) {
      const cause = this.causeOf(message);
      const key = JSON.stringify(cause);
      counted.set(key, { ...cause, messages: (counted.get(key)?.messages ?? 0) + 1 });
    }
    return [...counted.values()];
  }

  private causeOf({ token, effect, sentAtMs, arns }: Affected): DeployCause {
    const ends = effect === 'lost' ? (this.history.ends.get(token) ?? []) : [];
    const end = ends.findLast(it => it.arns.some(arn => arns.includes(arn))) ?? ends.at(-1);
    const atMs = Math.max(end?.atMs ?? sentAtMs, this.startMs);
    const why = end?.why ?? WITHOUT_END[effect];
    const operation = this.operationAt(atMs, [...new Set([...(end?.arns ?? []), ...arns])], why);
    const { verb, resourceType } = operation ?? {};
    const [, withoutSender] = WITHOUT_SENDER.find(([deletion]) => deletion.test(`${verb} ${resourceType}`)) ?? [];
    return {
      effect,
      messages: 1,
      why: end || effect !== 'lost' ? why : (withoutSender ?? why),
      ...(operation && { operation: this.described(operation) }),
    };
  }

  /** The operation under way on a resource that is concerned, or else the last one before; the first one if none was before. */
  private operationAt(atMs: number, arns: readonly string[], why: string): Operation | undefined {
    const concerned = this.history.operations.filter(it => arns.some(arn => this.concerns(it, arn)));
    const wanted = LIKELY.find(([said]) => said.test(why))?.[1];
    const likely = concerned.filter(it => it.fromMs <= atMs && wanted?.test(`${it.verb} ${it.resourceType}`));
    const all = [likely, concerned, this.history.operations].find(({ length }) => length > 0) ?? [];
    const begun = all.filter(({ fromMs }) => fromMs <= atMs);
    const underWay = begun.filter(({ toMs }) => toMs === undefined || toMs >= atMs);
    return underWay.at(-1) ?? begun.at(-1) ?? all[0];
  }

  private concerns({ resource, physicalId }: Operation, arn: string): boolean {
    const { account = '' } = parseArn(arn) ?? {};
    const queueUrlEnd = `/${account}/${nameInArn(arn)}`;
    if (physicalId === arn || physicalId?.endsWith(queueUrlEnd) || physicalId === nameInArn(arn)) return true;
    const text = this.properties.get(resource) ?? '';
    return text.includes(`"${arn}"`) || text.includes(`${queueUrlEnd}"`);
  }

  private described({ verb, resource, resourceType, fromMs, toMs }: Operation): DeployCause['operation'] {
    const seconds = (ms: number) => (ms - this.startMs) / 1000;
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
