import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  type FunctionEventInvokeConfig,
  GetFunctionConcurrencyCommand,
  GetPolicyCommand,
  LambdaClient,
  paginateListEventSourceMappings,
  paginateListFunctionEventInvokeConfigs,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import type {
  EventInvokeFacts,
  FleetFacts,
  FunctionFacts,
  MappingFacts,
  StreamRetryFacts,
} from '../../diagnosis/inventory/inventory';
import { qualifierOf, unqualified } from '../../diagnosis/inventory/look-ups';
import { nameInArn, parseArn } from '../../policy/arn';
import { FLEET_SETTINGS_VARIABLE, fleetQueuesIn } from '../../policy/fleet/fleet-settings';
import type { MaybeKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import {
  type AccountReader,
  type InventoryQuestion,
  itemsOf,
  policyOf,
  unlessEmpty,
  unlessGone,
} from './account-reader';
import type { SendingFunction } from './keys-and-roles';
import { queueArnOf } from './queues';

/** Functions of which more is read than of all. Lambda allows only a few of these calls a second. */
export interface AskedFunctions {
  /** ARNs of functions that services invoke: their resource policies are read. @default - of none */
  readonly invoked?: Promise<ReadonlySet<string>>;
  /** ARNs of functions whose reserved concurrency is read. @default - of none */
  readonly running?: Promise<ReadonlySet<string>>;
  /** Receives each function as soon as it is known what it sends where. @default - none */
  readonly begun?: (sender: SendingFunction) => void;
}

const OF = ['function', 'functions'] as const;

const EVENT_INVOKES: InventoryQuestion = {
  action: 'lambda:ListFunctionEventInvokeConfigs',
  of: OF,
  tells: 'the destinations of failed events',
  hides: ['feeders'],
};

const POLICY: InventoryQuestion = { action: 'lambda:GetPolicy', of: OF, tells: 'the policy' };

const CONCURRENCY: InventoryQuestion = {
  action: 'lambda:GetFunctionConcurrency',
  of: OF,
  tells: 'the reserved concurrency',
};

/** AWS's defaults. */
const DEFAULT_RETRIES = 2;
const DEFAULT_EVENT_AGE_SECONDS = 21_600;

function eventInvokeFacts(reported: FunctionEventInvokeConfig): EventInvokeFacts {
  const { FunctionArn = '', DestinationConfig: { OnFailure, OnSuccess } = {} } = reported;
  return {
    qualifier: qualifierOf(FunctionArn) ?? '$LATEST',
    onFailureArn: unlessEmpty(OnFailure?.Destination),
    onSuccessArn: unlessEmpty(OnSuccess?.Destination),
    maximumRetryAttempts: reported.MaximumRetryAttempts ?? DEFAULT_RETRIES,
    maximumEventAgeSeconds: reported.MaximumEventAgeInSeconds ?? DEFAULT_EVENT_AGE_SECONDS,
  };
}

class FunctionReader {
  private readonly lambda: LambdaClient;

  constructor(private readonly reader: AccountReader) {
    this.lambda = reader.aws.client(LambdaClient);
  }

  eventInvokes(FunctionName: string): Promise<MaybeKnown<readonly EventInvokeFacts[]>> {
    return this.reader.ask(EVENT_INVOKES, FunctionName, async () => {
      const found: EventInvokeFacts[] = [];
      const pages = paginateListFunctionEventInvokeConfigs({ client: this.lambda }, { FunctionName });
      for await (const { FunctionEventInvokeConfigs = [] } of pages) {
        found.push(...FunctionEventInvokeConfigs.map(eventInvokeFacts));
      }
      return found;
    });
  }

  concurrency(FunctionName: string): Promise<MaybeKnown<number | undefined>> {
    const asked = new GetFunctionConcurrencyCommand({ FunctionName });
    const read = async () => (await this.lambda.send(asked)).ReservedConcurrentExecutions;
    return this.reader.ask(CONCURRENCY, FunctionName, read);
  }

  policy(FunctionName: string): Promise<FunctionFacts['policy']> {
    const asked = new GetPolicyCommand({ FunctionName });
    // For a function without a policy, Lambda says that it does not exist.
    const read = async () => policyOf((await unlessGone(() => this.lambda.send(asked)))?.Policy);
    return this.reader.ask(POLICY, FunctionName, read);
  }

  /** Reads one fact of several functions, by their ARNs. Functions that are deleted meanwhile are left out. */
  async each<Fact>(
    listed: readonly FunctionConfiguration[],
    read: (name: string, listed: FunctionConfiguration) => Promise<Fact>,
  ): Promise<ReadonlyMap<string, Fact>> {
    const found = await this.reader.each(listed, async it => {
      const { FunctionArn = '', FunctionName = '' } = it;
      return [FunctionArn, await read(FunctionName, it)] as const;
    });
    return new Map(found);
  }
}

function sending(reported: FunctionConfiguration, eventInvokes: FunctionFacts['eventInvokes']): SendingFunction {
  return {
    roleArn: reported.Role ?? { unknownBecause: 'is not reported by Lambda' },
    deadLetterTargetArn: unlessEmpty(reported.DeadLetterConfig?.TargetArn),
    eventInvokes,
  };
}

/**
 * Reads the facts of listed functions. It needs the permission `lambda:ListFunctionEventInvokeConfigs`, and
 * `lambda:GetPolicy` and `lambda:GetFunctionConcurrency` for the functions of which more is asked. Each begins as soon as it
 * is known of which functions, because Lambda limits their rates separately.
 */
export async function readFunctions(
  reader: AccountReader,
  listed: Promise<readonly FunctionConfiguration[]>,
  { invoked = NONE, running = NONE, begun }: AskedFunctions,
): Promise<readonly FunctionFacts[]> {
  const functions = new FunctionReader(reader);
  const amongst = async (arns: Promise<ReadonlySet<string>>) => {
    const [all, asked] = await Promise.all([listed, arns]);
    return all.filter(({ FunctionArn = '' }) => asked.has(FunctionArn));
  };
  const sender = async (name: string, reported: FunctionConfiguration) => {
    const facts = sending(reported, await functions.eventInvokes(name));
    begun?.(facts);
    return facts;
  };
  const [all, senders, policies, concurrencies] = await Promise.all([
    listed,
    listed.then(them => functions.each(them, sender)),
    amongst(invoked).then(them => functions.each(them, name => functions.policy(name))),
    amongst(running).then(them => functions.each(them, name => functions.concurrency(name))),
  ]);
  return all.flatMap((reported): FunctionFacts[] => {
    const { FunctionArn: arn = '', FunctionName: name = '' } = reported;
    const sent = senders.get(arn);
    if (sent === undefined) return [];
    const fleet = fleetOf(reported);
    return [
      {
        ...sent,
        arn,
        name,
        logGroupName: logGroupNameOf(reported),
        timeoutSeconds: reported.Timeout ?? { unknownBecause: 'is not reported by Lambda' },
        reservedConcurrency: concurrencies.has(arn) ? concurrencies.get(arn) : NOT_POLLING,
        policy: policies.has(arn) ? policies.get(arn) : NOT_INVOKED,
        ...(fleet && { fleet }),
      },
    ];
  });
}

function fleetOf(reported: FunctionConfiguration): FleetFacts | undefined {
  const queues = fleetQueuesIn(variableOf(reported, FLEET_SETTINGS_VARIABLE));
  const place = parseArn(reported.FunctionArn ?? '');
  if (!queues || !place) return undefined;
  const { fleetName: name, eventsQueueUrl, deliveriesQueueUrl, deadLetterQueueUrl } = queues;
  return {
    name,
    eventsQueueArn: queueArnOf(eventsQueueUrl, place),
    deliveriesQueueArn: queueArnOf(deliveriesQueueUrl, place),
    deadLetterQueueArn: queueArnOf(deadLetterQueueUrl, place),
  };
}

const NONE: Promise<ReadonlySet<string>> = Promise.resolve(new Set());

const NOT_POLLING = {
  unknownBecause: 'is read only by dlo dlq why, for functions that services invoke or that read queues and streams',
};
const NOT_INVOKED = { unknownBecause: 'is read only for functions that services invoke' };

const functionPages = (aws: Connection) =>
  itemsOf(paginateListFunctions({ client: aws.client(LambdaClient) }, {}), ({ Functions }) => Functions);

const FUNCTIONS: InventoryQuestion = {
  action: 'lambda:ListFunctions',
  tells: 'the functions',
  hides: ['functions', 'feeders'],
};

/** Lists every function of the Region, as far as it can be read. It needs the permission `lambda:ListFunctions`. */
export function listFunctions(reader: AccountReader): Promise<readonly FunctionConfiguration[]> {
  return reader.list(FUNCTIONS, functionPages(reader.aws));
}

/**
 * Lists every function of the Region with its configuration. It needs the permission `lambda:ListFunctions`.
 * @throws Error when they cannot be listed
 */
export async function allFunctions(aws: Connection): Promise<FunctionConfiguration[]> {
  const found: FunctionConfiguration[] = [];
  for await (const page of functionPages(aws)) found.push(...page);
  return found;
}

export function variableOf({ Environment }: FunctionConfiguration, name: string): string | undefined {
  return Environment?.Variables?.[name];
}

export function logGroupNameOf({ FunctionName: name = '', LoggingConfig }: FunctionConfiguration): string {
  return LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
}

/**
 * Warns of functions whose environment variables cannot be read, because the caller may not use their key.
 * @param what the kind of function that is searched for: `relay`
 */
export function unreadableWarnings(functions: readonly FunctionConfiguration[], what: string): string[] {
  const names = functions.filter(({ Environment }) => Environment?.Error).map(({ FunctionName }) => FunctionName);
  if (names.length === 0) return [];
  return [
    `a ${what} among these functions cannot be found, because you may not use the key that encrypts their environment ` +
      `variables (kms:Decrypt): ${names.join(', ')}`,
  ];
}

/** The mapping receives nothing, or soon will not. */
const DISABLED = /^Disabl/;
/** The mapping is about to be deleted. */
const DELETING = 'Deleting';

function nameOf({ EventSourceArn, FunctionArn = '', UUID = '' }: EventSourceMappingConfiguration): string {
  const source = EventSourceArn === undefined ? UUID : nameInArn(EventSourceArn);
  return `${nameInArn(unqualified(FunctionArn))} from ${source}`;
}

function mappingFacts(reported: EventSourceMappingConfiguration): MappingFacts {
  const { DestinationConfig, State = '' } = reported;
  return {
    arn: reported.EventSourceMappingArn ?? reported.UUID ?? '',
    name: nameOf(reported),
    functionArn: reported.FunctionArn ?? '',
    sourceArn: reported.EventSourceArn,
    isEnabled: !DISABLED.test(State),
    batchSize: reported.BatchSize ?? { unknownBecause: 'is not reported by Lambda' },
    batchingWindowSeconds: reported.MaximumBatchingWindowInSeconds ?? 0,
    maximumConcurrency: reported.ScalingConfig?.MaximumConcurrency,
    onFailureArn: unlessEmpty(DestinationConfig?.OnFailure?.Destination),
    ...(STREAMS.has(parseArn(reported.EventSourceArn ?? '')?.service) && { streamRetries: streamRetries(reported) }),
  };
}

const STREAMS: ReadonlySet<string | undefined> = new Set(['kinesis', 'dynamodb']);

const WITHOUT_LIMIT = -1;

/** @param reported what reads a stream: a mapping, or the parameters of a pipe's source */
export function streamRetries(reported: {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumRecordAgeInSeconds?: number | undefined;
}): StreamRetryFacts {
  return {
    maximumRetryAttempts: reported.MaximumRetryAttempts ?? WITHOUT_LIMIT,
    maximumRecordAgeSeconds: reported.MaximumRecordAgeInSeconds ?? WITHOUT_LIMIT,
  };
}

const MAPPINGS: InventoryQuestion = {
  action: 'lambda:ListEventSourceMappings',
  tells: 'the event source mappings',
  hides: ['mappings', 'feeders'],
};

/** Reads every event source mapping of the Region. It needs the permission `lambda:ListEventSourceMappings`. */
export async function readMappings(reader: AccountReader): Promise<readonly MappingFacts[]> {
  const pages = paginateListEventSourceMappings({ client: reader.aws.client(LambdaClient) }, {});
  const listed = await reader.list(
    MAPPINGS,
    itemsOf(pages, ({ EventSourceMappings }) => EventSourceMappings),
  );
  return listed.filter(({ State }) => State !== DELETING).map(mappingFacts);
}
