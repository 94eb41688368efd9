import { delivererSeconds } from '../../lib/fleet/fleet-checks';
import { DISPATCHER_SECONDS } from '../../lib/fleet/fleet-functions';
import { DynamoDb } from '../../local/dynamodb';
import { AwsError } from '../../local/kernel/aws-error';
import { Faults } from '../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import type { Random } from '../../local/kernel/random';
import type { Timeline } from '../../local/kernel/timeline';
import { Streams } from '../../local/lambda/event-source/stream/streams';
import { Sqs } from '../../local/sqs';
import { VISIBILITY_PER_TIMEOUT } from '../../policy/aws-limits';
import { TABLE } from './fleet-account';

/** What the functions of a fleet call. SNS only takes what is published. */
export type ModelService = 'sqs' | 'dynamodb' | 'sns';

const NO_TRACE = { record: () => undefined, note: () => undefined };
const ALLOWED = { decide: () => ({ allowed: true, reason: 'the model' }) };

/** The embedded SQS and DynamoDB with the queues and the table of a fleet, called without the wire. */
export class ModelAws {
  readonly sqs: Sqs;
  readonly dynamoDb: DynamoDb;
  readonly urls: Readonly<Record<'events' | 'deliveries' | 'dead', string>>;

  constructor(
    timeline: Timeline,
    private readonly random: Random,
    /** Whether messages have their groups. */
    private readonly isFair: boolean,
    /** Receives each call that is carried out, and of the part of a batch that is. */
    private readonly onCall: (action: string, input: object) => void,
  ) {
    const context = {
      place: EXAMPLE_PLACE,
      timeline,
      access: ALLOWED,
      keys: ALLOWED,
      faults: new Faults(timeline),
      metrics: { put: () => undefined },
      trace: NO_TRACE,
    };
    this.sqs = new Sqs({ ...context, random: random.stream('sqs') });
    const streams = new Streams(timeline, () => undefined);
    this.dynamoDb = new DynamoDb({ ...context, random: random.stream('dynamodb') }, { streams });
    this.urls = {
      events: this.queue('events', VISIBILITY_PER_TIMEOUT * DISPATCHER_SECONDS),
      deliveries: this.queue('deliveries', VISIBILITY_PER_TIMEOUT * delivererSeconds({})),
      dead: this.queue('dead', 30),
    };
    this.createTable();
  }

  private queue(QueueName: string, visibilitySeconds: number): string {
    const Attributes = { VisibilityTimeout: String(visibilitySeconds), MessageRetentionPeriod: '1209600' };
    return this.sqs.call('CreateQueue', this.sqs.owner, { QueueName, Attributes }).QueueUrl ?? '';
  }

  private createTable(): void {
    this.dynamoDb.call('CreateTable', this.dynamoDb.owner, TABLE);
  }

  /** @throws Error with the name that the SDK gives it */
  run(service: ModelService, action: string, given: object): unknown {
    const input = service === 'sqs' && !this.isFair ? withoutGroups(given) : given;
    this.onCall(action, given);
    try {
      if (service === 'sqs') return this.sqs.call(action as never, this.sqs.owner, input as never);
      return service === 'sns' ? {} : this.dynamoDb.call(action as never, this.dynamoDb.owner, input as never);
    } catch (error) {
      if (error instanceof AwsError) throw named(error.code, error.message);
      throw error;
    }
  }

  /** Carries out a part of a batch. */
  partial(service: ModelService, action: string, input: object): unknown {
    const isLeft = () => this.random.fraction() < 0.5;
    if ('Entries' in input && Array.isArray(input.Entries)) {
      const left = input.Entries.filter(isLeft);
      const Entries = input.Entries.filter(it => !left.includes(it));
      const Failed = left.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false }));
      return Entries.length === 0
        ? { Failed }
        : { ...Object(this.run(service, action, { ...input, Entries })), Failed };
    }
    const { RequestItems } = input as { RequestItems?: Record<string, { Keys?: object[] } | object[]> };
    const items = RequestItems?.['fleet'];
    if (!items) throw named('ThrottlingException', 'a fault of the test');
    const all = Array.isArray(items) ? items : (items.Keys ?? []);
    const left = all.filter(isLeft);
    const done = all.filter(it => !left.includes(it));
    const shaped = (list: object[]) =>
      list.length === 0 ? {} : { fleet: Array.isArray(items) ? list : { Keys: list } };
    const answer = done.length === 0 ? {} : Object(this.run(service, action, { RequestItems: shaped(done) }));
    return { ...answer, [Array.isArray(items) ? 'UnprocessedItems' : 'UnprocessedKeys']: shaped(left) };
  }
}

/** An error as the SDK throws it. */
export function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function withoutGroups(input: object): object {
  if ('MessageGroupId' in input) return { ...input, MessageGroupId: undefined };
  if (!('Entries' in input) || !Array.isArray(input.Entries)) return input;
  return { ...input, Entries: input.Entries.map(({ MessageGroupId: _, ...entry }) => entry) };
}
