import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { TracedAwsEvent } from '../../../local';
import { lastPart, nameInArn } from '../../../policy/arn';
import { counted } from '../../../policy/format-text';
import { isObject } from '../../../policy/json-members';
import type { InvocationLog, Journey, JourneyCalls, MessageList, MessageRow, MessageSearch } from '../../api/journey';
import { type CallHandlers, checked, number, oneOf, orNull, text } from '../calls';
import type { ConsoleContext } from '../context';
import { controlOf } from '../simulation/simulation-control';
import { followEvents } from './event-steps';
import { followFunction } from './function-steps';
import type { JourneyContext, MessageRecord } from './journey-writer';
import { JourneyWriter } from './journey-writer';
import { followQueue } from './queue-steps';
import { followTopic } from './topic-steps';

/** A longer journey is shown by its beginning and its end: SNS can retry a delivery 100,015 times. */
const MOST_EVENTS = 400;

export function journeyOf(record: MessageRecord, nowMs: number): Journey {
  const write = new JourneyWriter();
  const context: JourneyContext = { record, write, queues: new Map(), origins: new Map() };
  const { events } = record;
  const leftOut = Math.max(0, events.length - MOST_EVENTS);
  for (const queue of deadLetterQueues(events)) context.write.place(queue, 'dead-letter-queue');
  const head = events.slice(0, leftOut > 0 ? MOST_EVENTS / 2 : undefined);
  for (const event of head) follow(event, context);
  const tail = leftOut > 0 ? events.slice(-MOST_EVENTS / 2) : [];
  const [first] = tail;
  const place = write.placeOfLastStep;
  if (first && place !== undefined) {
    write.step(
      { seq: null, atMs: first.atMs, type: 'gap' },
      place,
      'gap',
      `${counted(leftOut, 'event is', 'events are')} left out`,
    );
  }
  for (const event of tail) follow(event, context);
  const bodyId = record.ids.find(id => record.bodies[id] !== undefined);
  const body = bodyId === undefined ? null : (record.bodies[bodyId] ?? null);
  return write.document({ id: record.id, ids: record.ids, body, nowMs, leftOut });
}

function follow(event: TracedAwsEvent, context: JourneyContext): void {
  followTopic(event, context);
  followQueue(event, context);
  followFunction(event, context);
  followEvents(event, context);
}

/** The queues that the message reached as a dead letter. They are known before it arrives there. */
function deadLetterQueues(events: readonly TracedAwsEvent[]): readonly string[] {
  return events.flatMap(event => {
    if ('deadLetterQueueArn' in event) return [event.deadLetterQueueArn];
    return event.type === 'lambda.dead-lettered' && event.targetArn.includes(':sqs:') ? [event.targetArn] : [];
  });
}

const TROUBLES = ['none', 'failed', 'dead-lettered', 'lost'] as const;

/** How many messages a page of the list has. */
const PAGE = 50;

const MOST_LINES = 200;

/** What `GET /_dlo/messages` answers. */
interface Found {
  readonly messages: readonly (Omit<MessageRow, 'place' | 'body'> & {
    readonly place?: string;
    readonly body?: string;
  })[];
  readonly total: number;
  readonly next?: number;
}

async function search(
  { source }: ConsoleContext,
  { text, place, trouble, before }: MessageSearch,
): Promise<MessageList> {
  const query = new URLSearchParams({
    text,
    place,
    trouble,
    limit: String(PAGE),
    ...(before !== null && { before: String(before) }),
  });
  const { messages, total, next } = (await controlOf(source)('GET', `messages?${query}`)) as Found;
  const rows = messages.map(({ id, number, atMs, lastAtMs, place: arn = '', trouble: worst, events, body = null }) => ({
    id,
    number,
    atMs,
    lastAtMs,
    place: arn.startsWith('arn:') ? lastPart(arn) : arn,
    trouble: worst,
    events,
    body,
  }));
  return { messages: rows, total, next: next ?? null };
}

/** The lines that a function wrote during one invocation. Lambda writes its request id into each of them. */
async function log(
  { source, model }: ConsoleContext,
  { functionArn, requestId }: { readonly functionArn: string; readonly requestId: string },
): Promise<InvocationLog> {
  const { inventory } = await model.readStructure();
  // The ARN of a version or alias has a part more.
  const facts = inventory.functions.find(({ arn }) => functionArn === arn || functionArn.startsWith(`${arn}:`));
  const group = facts?.logGroupName ?? `/aws/lambda/${facts?.name ?? nameInArn(functionArn)}`;
  return source.use(async aws => {
    const filterPattern = `"${requestId}"`;
    const client = aws.client(CloudWatchLogsClient);
    const { events = [] } = await client.send(
      new FilterLogEventsCommand({ logGroupName: group, filterPattern, limit: MOST_LINES }),
    );
    const lines = events.map(({ timestamp = 0, message = '' }) => ({ atMs: timestamp, text: message.trimEnd() }));
    return { group, lines };
  });
}

export function journeyCalls(context: ConsoleContext): Pick<CallHandlers, keyof JourneyCalls> {
  const { source } = context;
  return {
    'journey/search': {
      changes: false,
      read: checked<'journey/search'>({ text, place: text, trouble: oneOf(TROUBLES), before: orNull(number) }),
      run: input => search(context, input),
    },
    'journey/read': {
      changes: false,
      read: checked<'journey/read'>({ id: text }),
      run: async ({ id }) => {
        const record = await controlOf(source)('GET', `messages/${encodeURIComponent(id)}`);
        if (!isObject(record)) throw new Error(`the simulation answered no message to ${id}`);
        return journeyOf(record as unknown as MessageRecord, await source.nowMs());
      },
    },
    'journey/log': {
      changes: false,
      read: checked<'journey/log'>({ functionArn: text, requestId: text }),
      run: input => log(context, input),
    },
  };
}
