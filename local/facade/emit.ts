import { createHash } from 'node:crypto';
import { parseArn } from '../../policy/arn';
import type { Problem } from '../../policy/problem';
import type { DeployedStack } from '../cloudformation';
import { shardIn, streamRecord } from '../dynamodb';
import { isObject } from '../kernel/json';
import { InvalidInput, MemberReader } from '../kernel/member-reader';
import type { Random } from '../kernel/random';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';
import { BucketEvent, isUnsimulatedS3Event, type ObjectEvent, S3_EVENTS } from './bucket-notifications';
import { serviceNamed } from './names';

/** Records of a Kinesis stream. */
export interface KinesisRecords {
  /** As `LocalAws.resource` takes it. */
  readonly stream: string;
  readonly records: readonly KinesisRecord[];
  /** @default 'shardId-000000000000' */
  readonly shardId?: string;
}

export interface KinesisRecord {
  readonly partitionKey: string;
  /** Bytes or a text. An object is written as JSON. */
  readonly data: string | Uint8Array | object;
}

/** Changes of a DynamoDB table, as its stream reports them. */
export interface TableChanges {
  /** As `LocalAws.resource` takes it, or the ARN of its stream. */
  readonly table: string;
  readonly records: readonly TableChange[];
  /** @default - the shard of the table's stream */
  readonly shardId?: string;
}

type Attributes = Readonly<Record<string, object>>;

export interface TableChange {
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** In DynamoDB's JSON: `{ id: { S: '1' } }`. */
  readonly keys: Attributes;
  readonly newImage?: Attributes;
  readonly oldImage?: Attributes;
}

/** An event on an event bus. */
export interface BusEventInput {
  /** Also of an AWS service, which `PutEvents` does not allow: `aws.ec2`. */
  readonly source: string;
  readonly detailType: string;
  readonly detail: object;
  /** ARNs. @default none */
  readonly resources?: readonly string[];
  /** A name or an ARN. @default - the default bus */
  readonly bus?: string;
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(text => typeof text === 'string');

const TABLES = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'];

/**
 * Events that services would send which are not simulated. Each is delivered as the deployed stacks configure it, with
 * all permissions. It happens at the current instant of virtual time: `await aws.advance(…)` lets it arrive.
 */
export class Emit {
  /** @internal @param random a stream of its own */
  constructor(
    private readonly simulation: Simulation,
    private readonly stacks: () => readonly DeployedStack[],
    private readonly random: Random,
  ) {}

  /**
   * Sends what S3 would send after a change of an object: to the functions, queues and topics of the bucket's notification
   * configuration, and to EventBridge if the bucket sends events there.
   *
   * @returns the ARNs of the destinations; empty when the bucket's configuration does not want the event
   * @throws RangeError for invalid input; and when no bucket or more than one matches
   */
  s3(event: ObjectEvent): readonly string[] {
    const reader = new MemberReader(event, 'the event');
    const id = this.required(reader, 'bucket');
    const key = this.required(reader, 'key');
    const name = reader.text('event')?.replace(/^s3:/, '');
    if (name !== undefined && isUnsimulatedS3Event(name)) reader.refuse('event', 'is not simulated', event.event);
    else if (name !== undefined && !S3_EVENTS.includes(name)) {
      reader.refuse('event', `must be an event type of S3: ${S3_EVENTS.join(', ')}`, event.event);
    }
    reader.wholeNumber('size', 0);
    reader.text('eTag');
    reader.text('versionId');
    reader.check();
    const bucket = this.bucket(id);
    const eTag = createHash('md5').update(key).digest('hex');
    const ids = { requestId: this.random.hex(16).toUpperCase(), sequencer: this.random.hex(18).toUpperCase(), eTag };
    return new BucketEvent(bucket.services, bucket.name, event, ids).send();
  }

  /**
   * Puts records into a Kinesis stream, which its event source mappings read.
   *
   * @returns the sequence numbers
   * @throws RangeError for invalid input; and when no mapping reads the stream
   */
  kinesis(given: KinesisRecords): readonly string[] {
    const shardId = checkRecords(given, 'stream') ?? KINESIS_SHARD;
    const { stream, records } = given;
    const found = this.stream('kinesis', stream);
    const { timeline, lambda } = found.services;
    const arrivedAtMs = timeline.nowMs;
    const added = records.map(({ partitionKey, data }) => {
      const sequenceNumber = lambda.streams.nextSequenceNumber();
      const kinesis = {
        kinesisSchemaVersion: '1.0',
        partitionKey,
        sequenceNumber,
        data: bytesOf(data).toString('base64'),
        approximateArrivalTimestamp: arrivedAtMs / 1000,
      };
      return { sequenceNumber, shardId, partitionKey, arrivedAtMs, members: { kinesis } };
    });
    lambda.streams.append(found.arn, added);
    return added.map(({ sequenceNumber }) => sequenceNumber);
  }

  /**
   * Puts changes of a table into its stream, which its event source mappings read.
   *
   * @returns the sequence numbers
   * @throws RangeError for invalid input; and when no mapping reads the table's stream
   */
  dynamoDb(given: TableChanges): readonly string[] {
    const named = checkRecords(given, 'table');
    const { table, records } = given;
    const found = this.stream('dynamodb', table);
    const shardId = named ?? shardIn(found.arn);
    const view = this.viewOf(found.arn);
    const problems = records.flatMap((record, i) => (view === undefined ? [] : imageProblems(record, i, view)));
    if (problems.length > 0) throw new InvalidInput(problems);
    const { timeline, lambda } = found.services;
    const arrivedAtMs = timeline.nowMs;
    const added = records.map(({ event, keys, newImage, oldImage }) => {
      const sequenceNumber = lambda.streams.nextSequenceNumber();
      const facts = { sequenceNumber, shardId, arrivedAtMs, eventId: this.random.hex(32) };
      const change = { event, keys, newImage, oldImage };
      return streamRecord(change, { ...facts, view: view ?? viewIn(newImage, oldImage) });
    });
    lambda.streams.append(found.arn, added);
    return added.map(({ sequenceNumber }) => sequenceNumber);
  }

  /**
   * Puts an event on an event bus, as an AWS service or another application would.
   *
   * @throws RangeError for invalid input, and for a bus that does not exist
   */
  event(event: BusEventInput): void {
    const reader = new MemberReader(event, 'the event');
    for (const name of ['source', 'detailType']) this.required(reader, name);
    if (!isObject(reader.given('detail'))) reader.refuse('detail', 'must be an object', event?.detail);
    reader.optional('resources', 'must be a list of texts', isTexts);
    const busName = reader.text('bus');
    const place = parseArn(busName ?? '') ?? this.simulation.place;
    const isDeclared = this.simulation.isDeclared(place.account, place.region);
    const services = isDeclared ? this.simulation.in(place.account, place.region) : this.simulation.home;
    if (busName !== undefined && !(isDeclared && services.events.hasBus(busName))) {
      reader.refuse('bus', 'must be the name or ARN of an event bus', busName);
    }
    reader.check();
    const { source, detailType, detail, resources } = event;
    services.events.emit({ source, detailType, detail: { ...detail }, ...(resources && { resources }) }, busName);
  }

  private required(reader: MemberReader, name: string): string {
    const text = reader.text(name);
    if (!reader.has(name) || text === '') reader.refuse(name, 'is required', text);
    return text ?? '';
  }

  private bucket(id: string): { readonly services: PlaceServices; readonly name: string } {
    const buckets = this.simulation.all.flatMap(services =>
      services.cloudFormation.resourcesOfType('AWS::S3::Bucket').map(({ physicalId: name }) => {
        return { value: { services, name }, names: [`arn:${services.place.partition}:s3:::${name}`, name] };
      }),
    );
    return serviceNamed(this.stacks(), 'bucket', buckets, id);
  }

  /** The `StreamViewType` of the table with this stream; undefined when no deployed stack has the table. */
  private viewOf(streamArn: string): string | undefined {
    const table = this.simulation.all
      .flatMap(({ cloudFormation }) => TABLES.flatMap(type => cloudFormation.resourcesOfType(type)))
      .find(({ attributes }) => attributes['StreamArn'] === streamArn);
    const specification = table?.properties['StreamSpecification'];
    const view = isObject(specification) ? specification['StreamViewType'] : undefined;
    return typeof view === 'string' ? view : undefined;
  }

  /** Finds a stream that a mapping reads. */
  private stream(
    service: keyof typeof STREAMS,
    id: string,
  ): { readonly arn: string; readonly services: PlaceServices } {
    const streams = this.simulation.all.flatMap(services =>
      services.lambda
        .eventSourceMappings()
        .map(({ configuration }) => ({ arn: configuration.queueArn, services }))
        .filter(({ arn }) => parseArn(arn)?.service === service),
    );
    const byArn = new Map(streams.map(it => [it.arn, it]));
    const all = [...byArn].map(([arn, value]) => ({ value, names: [arn, ...namesIn(arn)] }));
    return serviceNamed(this.stacks(), STREAMS[service], all, id);
  }
}

/** What an error calls a stream that mappings read. */
const STREAMS = {
  kinesis: 'stream with an event source mapping',
  dynamodb: 'table with a stream and an event source mapping',
} as const;

/**
 * Compares the images of a change with what the table's stream has: no image of an item before it was inserted or after it was
 * removed, and otherwise those that the `StreamViewType` names.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_StreamSpecification.html
 */
function imageProblems(change: TableChange, index: number, view: string): readonly Problem[] {
  const wanted = {
    newImage: change.event !== 'REMOVE' && /^NEW_/.test(view),
    oldImage: change.event !== 'INSERT' && /(^|_)OLD_/.test(view),
  };
  return (['newImage', 'oldImage'] as const)
    .filter(image => wanted[image] !== (change[image] !== undefined))
    .map(image => ({
      property: `records[${index}].${image}`,
      rule: `${wanted[image] ? 'is required' : 'must be left out'}: the table's stream has the StreamViewType ${view}, and the event is ${change.event}`,
      value: change[image],
    }));
}

/** `stream/orders` is named `orders`, and so is `table/orders/stream/2026-…`, whose table has an ARN of its own. */
function namesIn(arn: string): readonly string[] {
  const [, name = ''] = (parseArn(arn)?.resource ?? '').split('/');
  return [name, arn.replace(/\/stream\/[^/]*$/, ''), arn.replace(/\/consumer\/.*$/, '')];
}

const KINESIS_SHARD = 'shardId-000000000000';

/** @returns the shard that is named */
function checkRecords(given: KinesisRecords | TableChanges, source: 'stream' | 'table'): string | undefined {
  const reader = new MemberReader(given, 'the records');
  if (!reader.text(source)) reader.refuse(source, 'is required', undefined);
  const isList = (value: unknown): value is readonly object[] =>
    Array.isArray(value) && value.length > 0 && value.every(isObject);
  if (!reader.has('records')) reader.refuse('records', 'is required', undefined);
  const records = reader.optional('records', 'must be a list of records', isList) ?? [];
  const shardId = reader.text('shardId');
  const problems = [...reader.allProblems(), ...records.flatMap((record, i) => recordProblems(record, i, source))];
  if (problems.length > 0) throw new InvalidInput(problems);
  return shardId;
}

const CHANGES: readonly unknown[] = ['INSERT', 'MODIFY', 'REMOVE'];
const isData = (value: unknown): value is string | object => typeof value === 'string' || isObject(value);
const isChange = (value: unknown): value is string => CHANGES.includes(value);

function recordProblems(record: object, index: number, source: 'stream' | 'table') {
  const reader = new MemberReader(record, `records[${index}]`, `records[${index}].`);
  if (source === 'stream') {
    reader.text('partitionKey');
    reader.optional('data', 'must be a text, bytes or an object', isData);
  } else {
    reader.optional('event', `must be one of ${CHANGES.join(', ')}`, isChange);
    for (const name of ['keys', 'newImage', 'oldImage']) reader.optional(name, 'must be an object', isObject);
  }
  for (const name of source === 'stream' ? ['partitionKey', 'data'] : ['event', 'keys']) {
    if (!reader.has(name)) reader.refuse(name, 'is required', undefined);
  }
  return reader.allProblems();
}

function bytesOf(data: KinesisRecord['data']): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof Uint8Array ? Buffer.from(data) : Buffer.from(JSON.stringify(data));
}

function viewIn(newImage: Attributes | undefined, oldImage: Attributes | undefined): string {
  if (newImage && oldImage) return 'NEW_AND_OLD_IMAGES';
  if (newImage) return 'NEW_IMAGE';
  return oldImage ? 'OLD_IMAGE' : 'KEYS_ONLY';
}
