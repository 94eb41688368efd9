import { parseArn } from '../../policy/arn';
import { compileEventPattern } from '../../policy/event-pattern';
import type { DeployedResource } from '../cloudformation';
import { notificationsOf, S3_EVENTS } from '../facade/bucket-notifications';
import type { LocalAws } from '../facade/local-aws';
import { isObject, type JsonObject } from '../kernel/json';
import type { PlaceServices } from '../place-services';

type SequenceNumbers = readonly string[] | undefined;

/** Where messages enter an app. */
export interface Source {
  /** The same in both versions of the app, if the same messages can be sent. */
  readonly id: string;
  /** Whether a message that fails again and again only concerns itself. In a stream it holds up those behind it. */
  readonly mayFail: boolean;
  /**
   * Sends one message.
   *
   * @param token a text that the message carries
   * @returns the sequence number, if it is a record of a stream
   * @throws AwsError when AWS does not take it
   */
  readonly send: (token: string) => SequenceNumbers;
}

export interface Located {
  /** The construct path, or `Stack/LogicalId`. */
  readonly id: string;
  readonly resource: DeployedResource;
}

/** The resources of a type in all stacks. */
export function located(aws: LocalAws, type: string): readonly Located[] {
  return aws.stacks.flatMap(({ name, resources }) =>
    [...resources]
      .filter(([, resource]) => resource.type === type)
      .map(([logicalId, resource]) => ({
        id: resource.path?.replace(/\/Resource$/, '') ?? `${name}/${logicalId}`,
        resource,
      })),
  );
}

/** The id of the resource with this ARN or reference, or the ARN itself. */
function idOf(aws: LocalAws, type: string, arn: string): string {
  const isIt = ({ resource: { ref, attributes } }: Located) =>
    [ref, attributes['Arn'], attributes['StreamArn']].includes(arn);
  return located(aws, type).find(isIt)?.id ?? arn;
}

const bodyOf = (token: string) => JSON.stringify({ deployCheck: token });

/** Every way by which the traffic sends: topics, queues, and what sends events to rules, schedules, buckets and streams. */
export function sourcesOf(aws: LocalAws, isDeadLetterQueue: (arn: string) => boolean): readonly Source[] {
  return [
    ...topics(aws),
    ...queues(aws, isDeadLetterQueue),
    ...aws.whole.all.flatMap(services => [...events(aws, services), ...streams(aws, services)]),
    ...scheduledRules(aws),
    ...schedules(aws),
    ...buckets(aws),
  ];
}

/** FIFO topics and queues need a group, and an id for each message. */
const fifoMembers = (name: string, token: string) =>
  name.endsWith('.fifo') && { MessageGroupId: 'deploy-check', MessageDeduplicationId: token };

function topics(aws: LocalAws): readonly Source[] {
  return located(aws, 'AWS::SNS::Topic').map(({ id, resource: { ref } }) => ({
    id,
    mayFail: true,
    send: token => {
      const { sns } = aws.services.at(ref);
      sns.call('Publish', sns.owner, { TopicArn: ref, Message: bodyOf(token), ...fifoMembers(ref, token) });
      return undefined;
    },
  }));
}

/** Sends to a queue. */
export function sendTo(aws: LocalAws, { ref, attributes }: DeployedResource, token: string): undefined {
  const { sqs } = aws.services.at(attributes['Arn']);
  sqs.call('SendMessage', sqs.owner, { QueueUrl: ref, MessageBody: bodyOf(token), ...fifoMembers(ref, token) });
  return undefined;
}

/** Queues that neither topics feed nor failures. */
function queues(aws: LocalAws, isDeadLetterQueue: (arn: string) => boolean): readonly Source[] {
  const fed = new Set(aws.whole.all.flatMap(({ sns }) => sns.subscriptions().map(({ endpoint }) => endpoint)));
  return located(aws, 'AWS::SQS::Queue')
    .filter(({ resource: { attributes } }) => {
      const arn = attributes['Arn'] ?? '';
      return !isDeadLetterQueue(arn) && !fed.has(arn);
    })
    .map(({ id, resource }) => ({ id, mayFail: true, send: token => sendTo(aws, resource, token) }));
}

/** For each pattern of a rule, an event that matches it. */
function events(aws: LocalAws, { events: bridge, place }: PlaceServices): readonly Source[] {
  return bridge.rules().flatMap(({ bus, definition }) => {
    const sample = patternSample(definition.eventPattern, place);
    if (!sample) return [];
    const id = `${idOf(aws, 'AWS::Events::EventBus', bus.arn)} ${JSON.stringify(sample)}`;
    const send = (token: string): SequenceNumbers => {
      bridge.emit({ ...sample, detail: { ...sample.detail, deployCheck: token } }, bus.arn);
      return undefined;
    };
    return [{ id, mayFail: true, send }];
  });
}

function patternSample(eventPattern: string | undefined, { account, region }: { account: string; region: string }) {
  return eventPattern === undefined ? undefined : sampleOf(JSON.parse(eventPattern), { account, region });
}

/** Runs the rules of a schedule, as if their time had come. */
function scheduledRules(aws: LocalAws): readonly Source[] {
  return located(aws, 'AWS::Events::Rule').flatMap(({ id, resource: { attributes } }) => {
    const arn = attributes['Arn'] ?? '';
    const { events: bridge } = aws.services.at(arn);
    if (bridge.rules().find(rule => rule.arn === arn)?.schedule === undefined) return [];
    const send = (token: string): SequenceNumbers => {
      bridge.runRule(arn, { deployCheck: token });
      return undefined;
    };
    return [{ id, mayFail: true, send }];
  });
}

/** Runs schedules, as if their time had come, with a message as their input. */
function schedules(aws: LocalAws): readonly Source[] {
  return located(aws, 'AWS::Scheduler::Schedule').flatMap(({ id, resource: { attributes } }) => {
    const arn = attributes['Arn'] ?? '';
    const { scheduler } = aws.services.at(arn);
    const target = scheduler.schedules().find(schedule => schedule.arn === arn)?.definition.target.Arn;
    if (target === undefined || isUniversal(target)) return [];
    const send = (token: string): SequenceNumbers => {
      scheduler.runSchedule(arn, bodyOf(token));
      return undefined;
    };
    return [{ id, mayFail: true, send }];
  });
}

/** A universal target is any API action: its input is a request. */
const isUniversal = (arn: string): boolean => parseArn(arn)?.service === 'scheduler';

/** Changes objects that the notifications of a bucket want. */
function buckets(aws: LocalAws): readonly Source[] {
  return located(aws, 'AWS::S3::Bucket').flatMap(({ id, resource: { ref: bucket } }) => {
    const services = aws.whole.all.find(({ cloudFormation }) =>
      cloudFormation.resourcesOfType('AWS::S3::Bucket').some(({ physicalId }) => physicalId === bucket),
    );
    if (!services) return [];
    const { destinations, sendsToEventBridge } = notificationsOf(services, bucket);
    const wanted = destinations.map(({ events: [event = ''], prefix, suffix }) => ({
      event: firstEvent(event),
      prefix,
      suffix,
    }));
    const all = sendsToEventBridge ? [...wanted, { event: 'ObjectCreated:Put', prefix: '', suffix: '' }] : wanted;
    return all.map(({ event, prefix, suffix }) => ({
      id: `${id} ${event} ${prefix} ${suffix}`,
      mayFail: true,
      send: (token: string): SequenceNumbers => {
        aws.emit.s3({ bucket, key: `${prefix}${token}${suffix}`, event });
        return undefined;
      },
    }));
  });
}

/** `ObjectCreated:*` stands for all events of a kind. */
function firstEvent(wanted: string): string {
  const name = wanted.replace(/^s3:/, '');
  return name.endsWith(':*') ? (S3_EVENTS.find(it => it.startsWith(name.slice(0, -1))) ?? name.slice(0, -2)) : name;
}

const STREAMS: Readonly<Record<string, string>> = { kinesis: 'AWS::Kinesis::Stream', dynamodb: 'AWS::DynamoDB::Table' };

/** Puts records into the streams that mappings read. */
function streams(aws: LocalAws, { lambda }: PlaceServices): readonly Source[] {
  const arns = new Set(lambda.eventSourceMappings().map(({ configuration }) => configuration.queueArn));
  return [...arns].flatMap(arn => {
    const service = parseArn(arn)?.service ?? '';
    const type = STREAMS[service];
    if (type === undefined) return [];
    const send = (token: string) =>
      service === 'kinesis'
        ? aws.emit.kinesis({ stream: arn, records: [{ partitionKey: token, data: { deployCheck: token } }] })
        : aws.emit.dynamoDb({ table: arn, records: [change(token)] });
    return [{ id: idOf(aws, type, arn), mayFail: false, send }];
  });
}

function change(token: string) {
  const keys = { id: { S: token } };
  return { event: 'INSERT' as const, keys, newImage: keys };
}

/** What takes messages from outside of the stacks, but not from this check. */
const NOT_SENT = [
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGatewayV2::Api',
  'AWS::IoT::TopicRule',
  'AWS::KinesisFirehose::DeliveryStream',
  'AWS::Lambda::Url',
  'AWS::Pipes::Pipe',
];

/**
 * What the check cannot follow. Targets of rules and schedules whose messages carry nothing of ours: the template gives them an input of their own.
 */
export function notFollowed(aws: LocalAws): readonly string[] {
  const ofRules = aws.whole.all.flatMap(({ events: bridge, place }) =>
    bridge.rules().flatMap(({ arn, definition, targets }) => {
      const id = idOf(aws, 'AWS::Events::Rule', arn);
      const { eventPattern } = definition;
      if (eventPattern !== undefined && !patternSample(eventPattern, place)) {
        return [`${id}: no event was found that matches its pattern ${eventPattern}`];
      }
      const own = [...targets.values()].filter(it => isObject(it.definition) && hasOwnInput(it.definition));
      return own.map(target => `${id}: the target ${target.arn} gets an input of its own, not the event`);
    }),
  );
  const ofSchedules = aws.whole.all.flatMap(({ scheduler }) =>
    scheduler
      .schedules()
      .filter(({ definition }) => isUniversal(definition.target.Arn))
      .map(({ arn, definition }) => {
        const id = idOf(aws, 'AWS::Scheduler::Schedule', arn);
        return `${id}: the target ${definition.target.Arn} is an API action`;
      }),
  );
  const others = NOT_SENT.flatMap(type =>
    located(aws, type).map(({ id }) => `${id}: nothing is sent to resources of the type ${type}`),
  );
  return [...ofRules, ...ofSchedules, ...others];
}

const hasOwnInput = ({
  Input,
  InputPath,
  InputTransformer,
}: {
  Input?: unknown;
  InputPath?: unknown;
  InputTransformer?: unknown;
}) =>
  Input !== undefined ||
  InputTransformer !== undefined ||
  (InputPath !== undefined && InputPath !== '$' && InputPath !== '$.detail');

/** What an event that matches a pattern must have. */
interface EventSample {
  readonly source: string;
  readonly detailType: string;
  readonly resources: readonly string[];
  readonly detail: JsonObject;
}

/** A value for fields that only have to exist, or to differ from others. */
const ANY = 'deploy-check';

/**
 * Makes up an event that matches a pattern; undefined if none is found, such as for a pattern that wants an event of another
 * account.
 *
 * @param pattern as `JSON.parse` returns it
 * @param about the members that every event of the bus has: account and Region
 */
export function sampleOf(pattern: unknown, about: JsonObject): EventSample | undefined {
  const made = isObject(pattern) ? objectFor(pattern) : undefined;
  if (!made || !isObject(pattern)) return undefined;
  const { source = ANY, 'detail-type': detailType = ANY, resources, detail = {} } = made;
  const listed = resources === undefined ? [] : [resources].flat();
  if (typeof source !== 'string' || typeof detailType !== 'string' || !isObject(detail)) return undefined;
  const event = { ...made, source, 'detail-type': detailType, resources: listed, detail };
  if (!matches(pattern, { ...event, ...about })) return undefined;
  return { source, detailType, detail, resources: listed.map(String) };
}

/** A pattern was accepted when its rule was put, so it can be compiled; a part of one may not. */
const matches = (pattern: JsonObject, event: JsonObject): boolean => compileEventPattern(pattern)(event);

function objectFor(pattern: JsonObject): JsonObject | undefined {
  const made: Record<string, unknown> = {};
  for (const [name, wanted] of Object.entries(pattern)) {
    if (name === '$or') {
      const one = firstOf(Array.isArray(wanted) ? wanted : [], it => (isObject(it) ? objectFor(it) : undefined));
      if (!one) return undefined;
      Object.assign(made, one);
    } else if (Array.isArray(wanted)) {
      if (wanted.some(it => isObject(it) && it['exists'] === false)) continue;
      const value = firstOf(wanted, valueFor);
      if (value === undefined) return undefined;
      made[name] = value;
    } else {
      const inner = isObject(wanted) ? objectFor(wanted) : undefined;
      if (!inner) return undefined;
      made[name] = inner;
    }
  }
  return made;
}

function firstOf<Value>(items: readonly unknown[], of: (item: unknown) => Value | undefined): Value | undefined {
  for (const item of items) {
    const value = of(item);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A value that satisfies one condition: what the condition names, or something near it. */
function valueFor(condition: unknown): unknown {
  if (!isObject(condition)) return condition;
  const named = scalarsIn(condition);
  const numbers = named.filter(it => typeof it === 'number');
  const texts = named.filter(it => typeof it === 'string');
  const candidates = [
    ...texts.flatMap(it => [it, it.replaceAll('*', ''), it.split('/')[0]]),
    ...numbers,
    ANY,
    ...numbers.flatMap(it => [it + 1, it - 1, (it + (numbers[0] ?? 0)) / 2]),
  ];
  return candidates.find(value => value !== undefined && matches({ x: [condition] }, { x: value }));
}

function scalarsIn(value: unknown): readonly (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return isObject(value) ? Object.values(value).flatMap(scalarsIn) : [];
}
