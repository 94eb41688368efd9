import { nameInArn } from '../../policy/arn';
import type { LocalAws } from '../facade/local-aws';
import { isObject } from '../kernel/json';
import type { TracedAwsEvent } from '../trace-events';

/** Every message of the traffic carries a token, wherever it is: raw, in an envelope, or in the record of a failure. */
const TOKEN = /dlo-check-\d+-(?:message|poison)/;

export const tokenIn = (text: string): string | undefined => TOKEN.exec(text)?.[0];

export const newToken = (number: number, kind: 'message' | 'poison'): string => `dlo-check-${number}-${kind}`;

export const isPoison = (text: string): boolean => /dlo-check-\d+-poison/.test(text);

/** What becomes of a message that a receiver does not get. */
export type Becomes = 'dead-lettered' | 'filtered' | 'published-to-nobody' | 'refused' | 'lost' | 'waiting';

/** The end of a message at one place. */
export interface End {
  readonly becomes: Becomes;
  readonly atMs: number;
  /** What happened to the message. */
  readonly why: string;
  /** The resources that were concerned. */
  readonly arns: readonly string[];
  /** The receiver that did not take it: an ARN or a URL. */
  readonly receiver?: string | undefined;
  /** Why its dead-letter queue did not take it either, if there is one. */
  readonly deadLetterFailure?: string | undefined;
}

/** What an event says about the end of messages. Its members are given by name. */
interface EndRule extends Pick<End, 'becomes' | 'why'> {
  /** The member with the id of the message, event, execution, request or records. */
  readonly ids: string;
  /** The members with the resources that were concerned. */
  readonly at: readonly string[];
  /** The member that says why, where no trouble of the resources does. @default - `why` says it */
  readonly reason?: string;
  /** The member with the queue that has it, if one has it. */
  readonly keptBy?: string;
}

const gaveUp = (service: string, becomes: Becomes, ids: string, reason: string, ...at: readonly string[]): EndRule => ({
  becomes,
  why: `${service} gave it up`,
  ids,
  at,
  reason,
});

const SOURCES = ['queueArn', 'streamArn', 'functionArn'];

const ENDS: Readonly<Partial<Record<TracedAwsEvent['type'], EndRule>>> = {
  'sns.unreceived': {
    becomes: 'published-to-nobody',
    why: 'it was published while the topic had no subscription',
    ids: 'messageId',
    at: ['topicArn'],
  },
  'sns.filtered': {
    becomes: 'filtered',
    why: 'a filter policy rejected it',
    ids: 'messageId',
    at: ['subscriptionArn'],
  },
  'sns.dead-lettered': gaveUp('SNS', 'dead-lettered', 'messageId', 'cause', 'subscriptionArn'),
  'sns.lost': gaveUp('SNS', 'lost', 'messageId', 'cause', 'subscriptionArn'),
  'events.dead-lettered': gaveUp('EventBridge', 'dead-lettered', 'eventId', 'errorCode', 'ruleArn', 'targetArn'),
  'events.dropped': gaveUp('EventBridge', 'lost', 'eventId', 'errorCode', 'ruleArn', 'targetArn'),
  'scheduler.dead-lettered': gaveUp('Scheduler', 'dead-lettered', 'executionId', 'code', 'scheduleArn', 'targetArn'),
  'scheduler.dropped': gaveUp('Scheduler', 'lost', 'executionId', 'code', 'scheduleArn', 'targetArn'),
  's3.notification-lost': gaveUp('S3', 'lost', 'key', 'reason', 'destinationArn'),
  'lambda.dead-lettered': gaveUp('Lambda', 'dead-lettered', 'requestId', 'condition', 'functionArn'),
  'lambda.lost': gaveUp('Lambda', 'lost', 'requestId', 'condition', 'functionArn'),
  'lambda.records-discarded': {
    ...gaveUp('Lambda', 'lost', 'sequenceNumbers', 'condition', 'streamArn', 'functionArn'),
    keptBy: 'destinationArn',
  },
  'lambda.messages-filtered-out': {
    becomes: 'filtered',
    why: 'a filter of the mapping rejected it',
    ids: 'messageIds',
    at: SOURCES,
  },
  'lambda.records-unread': {
    becomes: 'lost',
    why: 'no mapping reads the record any more',
    ids: 'sequenceNumbers',
    at: SOURCES,
  },
  'sqs.dead-lettered': {
    becomes: 'dead-lettered',
    why: 'it was received too often and not deleted',
    ids: 'messageId',
    at: ['queueArn'],
  },
  'sqs.expired': { becomes: 'lost', why: 'it expired in the queue', ids: 'messageId', at: ['queueArn'] },
};

/** Events that give the message that is being sent an id, by the member with the id. */
const NAMES: Readonly<Partial<Record<TracedAwsEvent['type'], string>>> = {
  'sns.published': 'messageId',
  'sqs.sent': 'messageId',
  'events.received': 'eventId',
  'events.rule-triggered': 'eventId',
  'scheduler.due': 'executionId',
};

/** The texts in a member: one, or a list. */
function textsOf(event: TracedAwsEvent, member: string): readonly string[] {
  const value: unknown = Reflect.get(event, member);
  return [value].flat().filter(it => typeof it === 'string');
}

const ARN = /arn:[\w-]+:[\w-]+:[\w-]*:\d*:[\w./:$-]*\w/g;

/** The ARNs that a text names, such as the reason of a refusal. */
export const arnsIn = (text: string): readonly string[] => text.match(ARN) ?? [];

/** Protocols of SNS whose receiver is no queue, no function and no HTTP endpoint. */
const OTHER_PROTOCOLS: readonly string[] = ['application', 'email', 'email-json', 'firehose', 'sms'];

/** What CloudFormation did with a resource. */
export interface Operation {
  /** `Stack/LogicalId`. */
  readonly resource: string;
  readonly resourceType: string;
  /** The verb of its status: `CREATE`, `UPDATE` or `DELETE`. */
  readonly verb: string;
  readonly fromMs: number;
  toMs: number | undefined;
  physicalId: string | undefined;
}

/** Follows the messages of the traffic, and the operations of CloudFormation, through the trace. */
export class MessageHistory {
  /** The ends of each message that did not reach a receiver, by token. */
  readonly ends = new Map<string, End[]>();
  /** Why AWS last could not use a resource, by its ARN. */
  readonly troubles = new Map<string, string>();
  /** What messages passed: ARNs of topics, subscriptions, rules, queues and functions, and ids of mappings. */
  readonly passed = new Set<string>();
  /** The deliveries to phones, mailboxes, devices and delivery streams. */
  readonly delivered: { readonly token: string; readonly endpoint: string; readonly atMs: number }[] = [];
  readonly operations: Operation[] = [];
  /** Whether everything that comes is no reason any more. */
  isClosed = false;
  /** Whether only messages count that are sent from now on. */
  isOver = false;
  private readonly late = new Set<string>();
  /** Tokens by the ids of messages, events, executions, requests and records. */
  private readonly tokens = new Map<string, string>();
  /** The ids of the messages in each queue. */
  private readonly queues = new Map<string, Set<string>>();
  private readonly endpoints = new Map<string, string>();
  /** The message that is being sent. */
  private current: string | undefined;

  constructor(aws: LocalAws) {
    for (const event of aws.trace.events) this.follow(event);
    aws.trace.follow(event => this.follow(event));
    aws.trace.followNotes(({ kind, of, text }) => {
      const token = kind === 'body' ? tokenIn(text) : undefined;
      if (token !== undefined) this.tokens.set(of, token);
    });
  }

  private follow(event: TracedAwsEvent): void {
    if (!this.isClosed) this.followTroubles(event);
    this.followMessages(event);
    this.followQueues(event);
    this.followOperations(event);
    this.followWay(event);
  }

  /** Sends a message, and notes the ids that it gets. */
  send(token: string, act: (token: string) => readonly string[] | undefined): void {
    if (this.isOver) this.late.add(token);
    this.current = token;
    try {
      for (const id of act(token) ?? []) this.tokens.set(id, token);
    } finally {
      this.current = undefined;
    }
  }

  /** Notes what became of a message. */
  endOf(token: string, end: Omit<End, 'arns'>, arns: readonly string[] = []): void {
    if (this.isOver && !this.late.has(token)) return;
    this.ends.set(token, [...(this.ends.get(token) ?? []), { ...end, arns: [...arns, ...arnsIn(end.why)] }]);
  }

  /** What a message of the traffic passes: each ARN in an event about it. */
  private followWay(event: TracedAwsEvent): void {
    if (event.type === 'sns.filtered' || event.type === 'lambda.messages-filtered-out') return;
    const members = Object.entries(event);
    const isOurs = members.some(([name, value]) => {
      const ids = name === 'messageIds' || name === 'sequenceNumbers' ? value : /Id$/.test(name) ? [value] : [];
      return Array.isArray(ids) && ids.some(id => this.tokens.has(id));
    });
    if (!isOurs) return;
    for (const [name, value] of members) {
      if (typeof value !== 'string' || !/Arn$|^mappingId$/.test(name)) continue;
      this.passed.add(value);
      if (name === 'subscriptionArn') this.passed.add(this.endpoints.get(value) ?? value);
    }
  }

  private followTroubles(event: TracedAwsEvent): void {
    if ('resource' in event && 'reason' in event) {
      this.troubles.set(event.resource, `${event.action} is refused: ${event.reason}`);
    } else if (event.type === 'lambda.throttled') {
      this.troubles.set(event.functionArn, 'Lambda throttles the function: it has no concurrency left');
    } else if (event.type === 'lambda.queue-refused') {
      const source = event.queueArn ?? event.streamArn;
      this.troubles.set(source, `the mapping's ${event.action} is refused: ${event.reason}`);
    } else if (event.type === 'lambda.mapping-disabled') {
      this.troubles.set(event.queueArn ?? event.streamArn, 'its mapping is disabled');
    } else if (event.type === 'sns.delivered') {
      this.troubles.delete(this.endpoints.get(event.subscriptionArn) ?? '');
    }
  }

  private followMessages(event: TracedAwsEvent): void {
    this.followNames(event);
    const rule = ENDS[event.type];
    if (rule) {
      const at = rule.at
        .flatMap(member => textsOf(event, member))
        .flatMap(arn => [arn, this.endpoints.get(arn) ?? arn]);
      const why = this.whyOf(event, rule, at);
      const isKept = rule.keptBy !== undefined && textsOf(event, rule.keptBy).length > 0;
      const becomes = isKept ? 'dead-lettered' : rule.becomes;
      // EventBridge and Scheduler name the queue that refused.
      const ofQueue = textsOf(event, 'reason').filter(it => it.startsWith('arn:'));
      const [deadLetterFailure] = [...textsOf(event, 'deadLetterFailure'), ...ofQueue];
      this.end(textsOf(event, rule.ids), event, { becomes, why, receiver: at.at(-1), deadLetterFailure }, at);
    } else if (event.type === 'events.received' && event.matchedRules === 0) {
      const end = { becomes: 'published-to-nobody', why: 'no rule of the bus wanted it' } as const;
      this.end([event.eventId], event, end, [event.eventBusArn]);
    } else if (event.type === 'sqs.purged' || event.type === 'sqs.queue-deleted') {
      const verb = event.type === 'sqs.purged' ? 'purged' : 'deleted';
      const why = `it was in ${nameInArn(event.queueArn)} when the queue was ${verb}`;
      this.end([...this.messagesIn(event.queueArn)], event, { becomes: 'lost', why }, [event.queueArn]);
    }
  }

  private whyOf(event: TracedAwsEvent, { why, reason }: EndRule, at: readonly string[]): string {
    if (reason === undefined) return why;
    const trouble = at.map(arn => this.troubles.get(arn)).find(it => it !== undefined);
    const said: unknown = Reflect.get(event, reason);
    return `${why}: ${trouble ?? (isObject(said) ? said['reason'] : said)}`;
  }

  private end(
    ids: readonly string[],
    { atMs }: TracedAwsEvent,
    end: Omit<End, 'atMs' | 'arns'>,
    at: readonly string[],
  ): void {
    for (const token of new Set(ids.flatMap(id => this.tokens.get(id) ?? []))) {
      this.endOf(token, { ...end, atMs }, at);
    }
  }

  /** The ids that a message gets, or that belong to it. */
  private followNames(event: TracedAwsEvent): void {
    const name = NAMES[event.type];
    if (name !== undefined && this.current !== undefined) {
      for (const id of textsOf(event, name)) this.tokens.set(id, this.current);
    } else if (event.type === 'sns.subscribed') {
      this.endpoints.set(event.subscriptionArn, event.endpoint);
    } else if (event.type === 'lambda.event-queued') {
      const token = event.messageIds.map(id => this.tokens.get(id)).find(it => it !== undefined);
      if (token !== undefined) this.tokens.set(event.requestId, token);
    } else if (event.type === 's3.notification-lost' || event.type === 's3.notified') {
      const token = tokenIn(event.key);
      if (token !== undefined) this.tokens.set(event.key, token);
      if (event.type === 's3.notified') this.passed.add(event.destinationArn);
    } else if (event.type === 'sns.delivered' && OTHER_PROTOCOLS.includes(event.protocol)) {
      const [token, endpoint] = [this.tokens.get(event.messageId), this.endpoints.get(event.subscriptionArn)];
      if (token === undefined || endpoint === undefined) return;
      this.delivered.push({ token, endpoint, atMs: event.atMs });
    }
  }

  private followQueues(event: TracedAwsEvent): void {
    switch (event.type) {
      case 'sqs.sent':
        this.messagesIn(event.queueArn).add(event.messageId);
        return;
      case 'sqs.deleted':
      case 'sqs.expired':
        this.messagesIn(event.queueArn).delete(event.messageId);
        return;
      case 'sqs.dead-lettered':
        this.messagesIn(event.queueArn).delete(event.messageId);
        this.messagesIn(event.deadLetterQueueArn).add(event.messageId);
        return;
      case 'sqs.purged':
      case 'sqs.queue-deleted':
        this.queues.delete(event.queueArn);
    }
  }

  private messagesIn(queueArn: string): Set<string> {
    const messages = this.queues.get(queueArn) ?? new Set<string>();
    this.queues.set(queueArn, messages);
    return messages;
  }

  private followOperations(event: TracedAwsEvent): void {
    if (event.type !== 'cloudformation.resource-status') return;
    const { stackName, logicalId, resourceType, physicalId, status, atMs } = event;
    const [verb = '', end = ''] = /^([A-Z]+)_(.*)$/.exec(status)?.slice(1) ?? [];
    const resource = `${stackName}/${logicalId}`;
    const known = this.operations.findLast(it => it.resource === resource && it.verb === verb && it.toMs === undefined);
    if (known) {
      known.physicalId = physicalId ?? known.physicalId;
      if (end !== 'IN_PROGRESS') known.toMs = atMs;
    } else if (end === 'IN_PROGRESS') {
      this.operations.push({ resource, resourceType, verb, fromMs: atMs, toMs: undefined, physicalId });
    }
  }
}
