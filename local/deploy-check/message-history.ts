import { nameInArn } from '../../policy/arn';
import type { LocalAws } from '../facade/local-aws';
import type { TracedAwsEvent } from '../trace-events';

/** Every message of the traffic carries a token, wherever it is: raw, in an envelope, or in the record of a failure. */
const TOKEN = /dlo-check-\d+-(?:message|poison)/;

export const tokenIn = (text: string): string | undefined => TOKEN.exec(text)?.[0];

export const newToken = (number: number, kind: 'message' | 'poison'): string => `dlo-check-${number}-${kind}`;

export const isPoison = (text: string): boolean => /dlo-check-\d+-poison/.test(text);

const GIVEN_UP = / gave it up: /;

/** The end of a message at one place. */
interface End {
  readonly atMs: number;
  /** What happened to the message. */
  readonly why: string;
  /** The resources that were concerned. */
  readonly arns: readonly string[];
  /** Whether AWS tried to deliver the message and gave it up. */
  readonly isGivenUp: boolean;
}

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
  /** The ends of each message that no receiver had, by token. */
  readonly ends = new Map<string, End[]>();
  /** The messages that topics without a subscription dropped. */
  readonly unreceived = new Set<string>();
  readonly operations: Operation[] = [];
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
    this.followMessages(event);
    this.followQueues(event);
    this.followOperations(event);
  }

  /** Sends a message, and notes the ids that it gets. */
  send(token: string, act: (token: string) => readonly string[] | undefined): void {
    this.current = token;
    try {
      for (const id of act(token) ?? []) this.tokens.set(id, token);
    } finally {
      this.current = undefined;
    }
  }

  private named(id: string): void {
    if (this.current !== undefined) this.tokens.set(id, this.current);
  }

  private end(ids: readonly string[], { atMs }: TracedAwsEvent, why: string, ...arns: readonly string[]): void {
    for (const token of new Set(ids.flatMap(id => this.tokens.get(id) ?? []))) {
      const isGivenUp = GIVEN_UP.test(why);
      this.ends.set(token, [...(this.ends.get(token) ?? []), { atMs, why, arns, isGivenUp }]);
    }
  }

  private endpointOf(subscriptionArn: string): string {
    return this.endpoints.get(subscriptionArn) ?? subscriptionArn;
  }

  private followMessages(event: TracedAwsEvent): void {
    switch (event.type) {
      case 'sns.subscribed':
        this.endpoints.set(event.subscriptionArn, event.endpoint);
        return;
      case 'sns.published':
        this.named(event.messageId);
        return;
      case 'sns.unreceived':
        this.unreceived.add(this.current ?? this.tokens.get(event.messageId) ?? '');
        this.end([event.messageId], event, 'it was published while the topic had no subscription', event.topicArn);
        return;
      case 'sns.filtered':
        this.end([event.messageId], event, 'a filter policy rejected it', ...this.subscription(event));
        return;
      case 'sns.lost':
        this.end([event.messageId], event, `SNS gave it up: ${event.cause.reason}`, ...this.subscription(event));
        return;
      case 'events.received':
        this.named(event.eventId);
        if (event.matchedRules === 0)
          this.end([event.eventId], event, 'no rule of the bus wanted it', event.eventBusArn);
        return;
      case 'events.dropped':
        this.end([event.eventId], event, `EventBridge gave it up: ${event.reason}`, event.ruleArn, event.targetArn);
        return;
      case 'events.rule-triggered':
        this.named(event.eventId);
        return;
      case 'scheduler.due':
        this.named(event.executionId);
        return;
      case 'scheduler.dropped':
        this.end(
          [event.executionId],
          event,
          `Scheduler gave it up: ${event.reason}`,
          event.scheduleArn,
          event.targetArn,
        );
        return;
      default:
        this.followFunctions(event);
    }
  }

  private followFunctions(event: TracedAwsEvent): void {
    switch (event.type) {
      case 'lambda.event-queued': {
        const token = event.messageIds.map(id => this.tokens.get(id)).find(it => it !== undefined);
        if (token !== undefined) this.tokens.set(event.requestId, token);
        return;
      }
      case 'lambda.lost':
        this.end([event.requestId], event, `Lambda gave it up: ${event.reason}`, event.functionArn);
        return;
      case 'lambda.messages-filtered-out': {
        const source = event.streamArn ?? event.queueArn;
        this.end(event.messageIds, event, 'a filter of the mapping rejected it', source, event.functionArn);
        return;
      }
      case 'lambda.records-unread': {
        const source = event.streamArn ?? event.queueArn;
        this.end(event.sequenceNumbers, event, 'no mapping reads the record any more', source, event.functionArn);
        return;
      }
      case 's3.notification-lost': {
        const token = tokenIn(event.key) ?? '';
        this.tokens.set(token, token);
        this.end([token], event, `S3 gave it up: ${event.reason}`, event.destinationArn);
      }
    }
  }

  private subscription({ subscriptionArn }: { readonly subscriptionArn: string }): readonly string[] {
    return [subscriptionArn, this.endpointOf(subscriptionArn)];
  }

  private followQueues(event: TracedAwsEvent): void {
    switch (event.type) {
      case 'sqs.sent':
        this.named(event.messageId);
        this.messagesIn(event.queueArn).add(event.messageId);
        return;
      case 'sqs.deleted':
        this.messagesIn(event.queueArn).delete(event.messageId);
        return;
      case 'sqs.dead-lettered':
        this.messagesIn(event.queueArn).delete(event.messageId);
        this.messagesIn(event.deadLetterQueueArn).add(event.messageId);
        return;
      case 'sqs.expired':
        this.messagesIn(event.queueArn).delete(event.messageId);
        this.end([event.messageId], event, `it expired in ${nameInArn(event.queueArn)}`, event.queueArn);
        return;
      case 'sqs.purged':
      case 'sqs.queue-deleted': {
        const verb = event.type === 'sqs.purged' ? 'purged' : 'deleted';
        const why = `it was in ${nameInArn(event.queueArn)} when the queue was ${verb}`;
        this.end([...this.messagesIn(event.queueArn)], event, why, event.queueArn);
        this.queues.delete(event.queueArn);
      }
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
