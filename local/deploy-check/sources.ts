import { parseArn } from '../../policy/arn';
import type { DeployedResource } from '../cloudformation';
import { notificationsOf, S3_EVENTS } from '../facade/bucket-notifications';
import type { LocalAws } from '../facade/local-aws';
import { isObject, type JsonObject } from '../kernel/json';
import type { PlaceServices } from '../place-services';
import { bodiesFor, eventsFor, type FilterSample, messagesFor, type NamedValues } from './samples';

type SequenceNumbers = readonly string[] | undefined;

/** Where messages enter an app. */
export interface Source {
  /** The same in both versions of the app, if the same messages can be sent. */
  readonly id: string;
  /** Whether a message that fails again and again only concerns itself. In a stream it holds up those behind it. */
  readonly mayFail: boolean;
  /** Whether it is one of many that differ little, and sends less often. @default false */
  readonly isVariation?: boolean;
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
export function located(aws: LocalAws, type: string | RegExp): readonly Located[] {
  const isWanted = (it: string) => (typeof type === 'string' ? it === type : type.test(it));
  return aws.stacks.flatMap(({ name, resources }) =>
    [...resources]
      .filter(([, resource]) => isWanted(resource.type))
      .map(([logicalId, resource]) => ({
        id: resource.path?.replace(/\/Resource$/, '') ?? `${name}/${logicalId}`,
        resource,
      })),
  );
}

/** The id of the resource with this ARN or reference, or the ARN itself. */
export function idOf(aws: LocalAws, type: string, arn: string): string {
  const isIt = ({ resource: { ref, attributes } }: Located) =>
    [ref, attributes['Arn'], attributes['StreamArn']].includes(arn);
  return located(aws, type).find(isIt)?.id ?? arn;
}

/** How the traffic is made up for the sources of both versions. */
interface TrafficContent {
  readonly named: NamedValues;
  readonly isDeadLetterQueue: (arn: string) => boolean;
}

const PLAIN: FilterSample = { body: {}, attributes: {}, isVariation: false };

const bodyOf = (token: string, body: FilterSample['body'] = {}) => JSON.stringify({ ...body, deployCheck: token });

/** Every way by which the traffic sends: topics, queues, and what sends events to rules, schedules, buckets and streams. */
export function sourcesOf(aws: LocalAws, { named, isDeadLetterQueue }: TrafficContent): readonly Source[] {
  const mappings = aws.whole.all.flatMap(({ lambda }) => lambda.eventSourceMappings());
  const ofMappings = mappings.flatMap(({ configuration: { filters } }) => bodiesFor(filters, 'body', named));
  const sources = [
    ...topics(aws, named, ofMappings),
    ...queues(aws, isDeadLetterQueue, ofMappings),
    ...aws.whole.all.flatMap(services => [...events(aws, services, named), ...streams(aws, services, named)]),
    ...scheduledRules(aws),
    ...schedules(aws),
    ...buckets(aws),
  ];
  // Of two sources with one id, the later one counts: the one that sends more often.
  return sources.sort((one, other) => Number(other.isVariation ?? false) - Number(one.isVariation ?? false));
}

/** FIFO topics and queues need a group, and an id for each message. */
const fifoMembers = (name: string, token: string) =>
  name.endsWith('.fifo') && { MessageGroupId: 'deploy-check', MessageDeduplicationId: token };

/** A source for messages without anything special, and one for each sample that a filter wants. */
function variations(id: string, samples: readonly FilterSample[], send: (token: string, sample: FilterSample) => void) {
  return [PLAIN, ...samples].map(
    (sample): Source => ({
      id: idWith(id, sample),
      mayFail: !sample.isVariation,
      isVariation: sample.isVariation,
      send: token => void send(token, sample),
    }),
  );
}

const idWith = (id: string, sample: FilterSample): string =>
  sample === PLAIN ? id : `${id} ${JSON.stringify([sample.body, sample.attributes])}`;

function topics(aws: LocalAws, named: NamedValues, ofMappings: readonly FilterSample[]): readonly Source[] {
  const subscriptions = aws.whole.all.flatMap(({ sns }) => sns.subscriptions());
  return located(aws, 'AWS::SNS::Topic').flatMap(({ id, resource: { ref } }) => {
    const filters = subscriptions.flatMap(({ topicArn, filterPolicy }) => (topicArn === ref && filterPolicy) || []);
    const samples = [...filters.flatMap(filter => messagesFor(filter, named)), ...ofMappings];
    return variations(id, samples, (token, { body, attributes }) => {
      const { sns } = aws.services.at(ref);
      const content = { Message: bodyOf(token, body), MessageAttributes: attributes };
      sns.call('Publish', sns.owner, { TopicArn: ref, ...content, ...fifoMembers(ref, token) });
    });
  });
}

/** Sends to a queue. */
export function sendTo(
  aws: LocalAws,
  { ref, attributes }: DeployedResource,
  token: string,
  { body } = PLAIN,
): undefined {
  const { sqs } = aws.services.at(attributes['Arn']);
  sqs.call('SendMessage', sqs.owner, {
    QueueUrl: ref,
    MessageBody: bodyOf(token, body),
    ...fifoMembers(ref, token),
  });
}

/** Queues that neither topics feed nor failures. */
function queues(
  aws: LocalAws,
  isDeadLetterQueue: (arn: string) => boolean,
  ofMappings: readonly FilterSample[],
): readonly Source[] {
  const fed = new Set(aws.whole.all.flatMap(({ sns }) => sns.subscriptions().map(({ endpoint }) => endpoint)));
  return located(aws, 'AWS::SQS::Queue')
    .filter(({ resource: { attributes } }) => {
      const arn = attributes['Arn'] ?? '';
      return !isDeadLetterQueue(arn) && !fed.has(arn);
    })
    .flatMap(({ id, resource }) => variations(id, ofMappings, (token, sample) => sendTo(aws, resource, token, sample)));
}

/** For each pattern of a rule, events that match it. */
function events(aws: LocalAws, { events: bridge, place }: PlaceServices, named: NamedValues): readonly Source[] {
  return bridge.rules().flatMap(({ bus, definition }) => {
    const busId = idOf(aws, 'AWS::Events::EventBus', bus.arn);
    return patternSamples(definition.eventPattern, place, named).map((sample, i) => ({
      id: `${busId} ${JSON.stringify(sample)}`,
      mayFail: i === 0,
      isVariation: i > 0,
      send: (token): SequenceNumbers => {
        bridge.emit({ ...sample, detail: { ...sample.detail, deployCheck: token } }, bus.arn);
        return undefined;
      },
    }));
  });
}

export const patternSamples = (
  eventPattern: string | undefined,
  { account, region }: { account: string; region: string },
  named?: NamedValues,
) => (eventPattern === undefined ? [] : eventsFor(JSON.parse(eventPattern), { account, region }, named));

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
    const find = () => scheduler.schedules().find(schedule => schedule.arn === arn)?.definition;
    const target = find()?.target.Arn;
    if (target === undefined || isUniversal(target)) return [];
    const send = (token: string): SequenceNumbers => {
      if (find()?.state === 'ENABLED') scheduler.runSchedule(arn, bodyOf(token));
      return undefined;
    };
    return [{ id, mayFail: true, send }];
  });
}

/** A universal target is any API action: its input is a request. */
export const isUniversal = (arn: string): boolean => parseArn(arn)?.service === 'scheduler';

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

/** The records of a table's stream that its filters want, and one without anything special. */
function tableSources(aws: LocalAws, arn: string, samples: readonly FilterSample[]): readonly Source[] {
  const table = located(aws, TABLE).find(({ resource: { attributes } }) => attributes['StreamArn'] === arn);
  const properties = table && propertiesOf(aws, TABLE, table.resource.ref);
  return [PLAIN, ...samples].map(sample => ({
    id: idWith(table?.id ?? arn, sample),
    mayFail: false,
    isVariation: sample.isVariation,
    send: token => aws.emit.dynamoDb({ table: arn, records: [insertion(token, sample, properties ?? {})] }),
  }));
}

const TABLE = 'AWS::DynamoDB::Table';

const propertiesOf = (aws: LocalAws, type: string, ref: string): JsonObject | undefined =>
  aws.whole.all
    .flatMap(({ cloudFormation }) => cloudFormation.resourcesOfType(type))
    .find(({ physicalId }) => physicalId === ref)?.properties;

/** The record of an item that carries a token: as its keys, if these are texts, and in an attribute. */
function insertion(token: string, { body }: FilterSample, properties: JsonObject) {
  const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  const types = new Map(
    listOf(properties['AttributeDefinitions']).map(it => [it['AttributeName'], String(it['AttributeType'])]),
  );
  const names = listOf(properties['KeySchema']).map(it => String(it['AttributeName']));
  const given = isObject(body['NewImage']) ? body['NewImage'] : {};
  const value = (name: string): object => {
    const wanted = given[name];
    if (isObject(wanted)) return wanted;
    const type = types.get(name) ?? 'S';
    return { [type]: type === 'N' ? token.replace(/\D/g, '') : token };
  };
  const keys = Object.fromEntries((names.length > 0 ? names : ['id']).map(name => [name, value(name)]));
  const images = Object.fromEntries(Object.entries(given).filter((it): it is [string, JsonObject] => isObject(it[1])));
  const newImage = { ...images, ...keys, deployCheck: { S: token } };
  const { StreamViewType: view } = isObject(properties['StreamSpecification']) ? properties['StreamSpecification'] : {};
  const hasImage = view === undefined || String(view).startsWith('NEW_');
  return { event: 'INSERT' as const, keys, ...(hasImage && { newImage }) };
}

const STREAMS: Readonly<Record<string, string>> = { kinesis: 'AWS::Kinesis::Stream', dynamodb: 'AWS::DynamoDB::Table' };

/** Puts records into the streams that mappings read. */
function streams(aws: LocalAws, { lambda }: PlaceServices, named: NamedValues): readonly Source[] {
  return lambda.eventSourceMappings().flatMap(({ configuration: { queueArn: arn, filters } }): readonly Source[] => {
    const service = parseArn(arn)?.service ?? '';
    const type = STREAMS[service];
    if (type === undefined) return [];
    if (service !== 'kinesis') return tableSources(aws, arn, bodiesFor(filters, 'dynamodb', named));
    const id = idOf(aws, type, arn);
    return [PLAIN, ...bodiesFor(filters, 'data', named)].map(sample => ({
      id: idWith(id, sample),
      mayFail: false,
      isVariation: sample.isVariation,
      send: token =>
        aws.emit.kinesis({
          stream: arn,
          records: [{ partitionKey: token, data: { ...sample.body, deployCheck: token } }],
        }),
    }));
  });
}
