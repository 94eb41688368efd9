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
import type { EventInvokeFacts, FunctionFacts, MappingFacts } from '../../diagnosis/inventory/inventory';
import { qualifierOf, unqualified } from '../../diagnosis/inventory/look-ups';
import { nameInArn } from '../../policy/arn';
import type { MaybeKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import { type AccountReader, policyOf, type Question, unlessEmpty, unlessGone } from './account-reader';

/** Which functions are asked for more than all are: Lambda answers few of these questions a second. */
export interface AskedFunctions {
  /** By the ARNs of functions that services invoke: what lets them in is asked for. */
  readonly invoked: ReadonlySet<string>;
  /** By the ARNs of functions that read queues and streams: how many of each may run is asked for. */
  readonly polling: ReadonlySet<string>;
}

const OF = ['function', 'functions'] as const;

const EVENT_INVOKES: Question = {
  action: 'lambda:ListFunctionEventInvokeConfigs',
  of: OF,
  tells: 'where the failed events go',
};

const POLICY: Question = { action: 'lambda:GetPolicy', of: OF, tells: 'the policy' };

const CONCURRENCY: Question = {
  action: 'lambda:GetFunctionConcurrency',
  of: OF,
  tells: 'the reserved concurrency',
};

/** AWS's own, where nobody stated other. */
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

/** Asks about functions, one by one. */
class FunctionReader {
  private readonly lambda: LambdaClient;

  constructor(
    private readonly reader: AccountReader,
    private readonly asked: AskedFunctions,
  ) {
    this.lambda = reader.aws.client(LambdaClient);
  }

  async facts(reported: FunctionConfiguration): Promise<FunctionFacts> {
    const { FunctionArn: arn = '', FunctionName: name = '' } = reported;
    return {
      arn,
      name,
      logGroupName: logGroupNameOf(reported),
      timeoutSeconds: reported.Timeout ?? { unknownBecause: 'is not told' },
      roleArn: reported.Role ?? { unknownBecause: 'is not told' },
      deadLetterTargetArn: unlessEmpty(reported.DeadLetterConfig?.TargetArn),
      eventInvokes: await this.eventInvokes(name),
      reservedConcurrency: await this.concurrency(arn, name),
      policy: await this.policy(arn, name),
    };
  }

  private eventInvokes(FunctionName: string): Promise<MaybeKnown<readonly EventInvokeFacts[]>> {
    return this.reader.ask(EVENT_INVOKES, FunctionName, async () => {
      const found: EventInvokeFacts[] = [];
      const pages = paginateListFunctionEventInvokeConfigs({ client: this.lambda }, { FunctionName });
      for await (const { FunctionEventInvokeConfigs = [] } of pages) {
        found.push(...FunctionEventInvokeConfigs.map(eventInvokeFacts));
      }
      return found;
    });
  }

  private async concurrency(arn: string, FunctionName: string): Promise<MaybeKnown<number | undefined>> {
    if (!this.asked.polling.has(arn)) return { unknownBecause: 'is read of functions that read queues and streams' };
    const asked = new GetFunctionConcurrencyCommand({ FunctionName });
    const read = async () => (await this.lambda.send(asked)).ReservedConcurrentExecutions;
    return this.reader.ask(CONCURRENCY, FunctionName, read);
  }

  private async policy(arn: string, FunctionName: string): Promise<FunctionFacts['policy']> {
    if (!this.asked.invoked.has(arn)) return { unknownBecause: 'is read of functions that services invoke' };
    const asked = new GetPolicyCommand({ FunctionName });
    // Lambda says of a function without a policy that there is none.
    const read = async () => policyOf((await unlessGone(() => this.lambda.send(asked)))?.Policy);
    return this.reader.ask(POLICY, FunctionName, read);
  }
}

/**
 * What is asked of functions that were listed. It takes the permission `lambda:ListFunctionEventInvokeConfigs`,
 * for those that services invoke `lambda:GetPolicy`, and for those that read queues `lambda:GetFunctionConcurrency`.
 */
export async function readFunctions(
  reader: AccountReader,
  listed: readonly FunctionConfiguration[],
  asked: AskedFunctions,
): Promise<readonly FunctionFacts[]> {
  const functions = new FunctionReader(reader, asked);
  return reader.each(listed, reported => functions.facts(reported));
}

/** Every function of the Region, as it is configured. It takes the permission `lambda:ListFunctions`. */
export async function allFunctions(aws: Connection): Promise<FunctionConfiguration[]> {
  const found: FunctionConfiguration[] = [];
  const pages = paginateListFunctions({ client: aws.client(LambdaClient) }, {});
  for await (const { Functions = [] } of pages) found.push(...Functions);
  return found;
}

/** A variable of the function's environment. */
export function variableOf({ Environment }: FunctionConfiguration, name: string): string | undefined {
  return Environment?.Variables?.[name];
}

/** Where a function logs. */
export function logGroupNameOf({ FunctionName: name = '', LoggingConfig }: FunctionConfiguration): string {
  return LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
}

/**
 * Lambda tells nothing of an environment whose key the caller may not use.
 * @param what the kind of function that is looked for: `relay`
 */
export function unreadableWarnings(functions: readonly FunctionConfiguration[], what: string): string[] {
  const names = functions.filter(({ Environment }) => Environment?.Error).map(({ FunctionName }) => FunctionName);
  if (names.length === 0) return [];
  return [
    `a ${what} among these would not be seen, for their environment variables are encrypted with a key that you may not use ` +
      `(kms:Decrypt): ${names.join(', ')}`,
  ];
}

/** Of a mapping that receives nothing, or soon will not. */
const DISABLED = /^Disabl/;
/** Of one that is gone in a moment. */
const DELETING = 'Deleting';

const PARTIAL = 'ReportBatchItemFailures';

function nameOf({ EventSourceArn, FunctionArn = '', UUID = '' }: EventSourceMappingConfiguration): string {
  const source = EventSourceArn === undefined ? UUID : nameInArn(EventSourceArn);
  return `${nameInArn(unqualified(FunctionArn))} from ${source}`;
}

function mappingFacts(reported: EventSourceMappingConfiguration): MappingFacts {
  const { FilterCriteria, FilterCriteriaError, DestinationConfig, State = '' } = reported;
  return {
    arn: reported.EventSourceMappingArn ?? reported.UUID ?? '',
    name: nameOf(reported),
    functionArn: reported.FunctionArn ?? '',
    sourceArn: reported.EventSourceArn,
    isEnabled: !DISABLED.test(State),
    batchSize: reported.BatchSize ?? { unknownBecause: 'is not told' },
    batchingWindowSeconds: reported.MaximumBatchingWindowInSeconds ?? 0,
    maximumConcurrency: reported.ScalingConfig?.MaximumConcurrency,
    reportsBatchItemFailures: reported.FunctionResponseTypes?.includes(PARTIAL) ?? false,
    // Filters that are encrypted with a key the caller may not use are filters all the same.
    hasFilters: (FilterCriteria?.Filters?.length ?? 0) > 0 || FilterCriteriaError !== undefined,
    onFailureArn: unlessEmpty(DestinationConfig?.OnFailure?.Destination),
  };
}

/** Every event source mapping of the Region. It takes the permission `lambda:ListEventSourceMappings`. */
export async function readMappings({ aws }: AccountReader): Promise<readonly MappingFacts[]> {
  const found: MappingFacts[] = [];
  const pages = paginateListEventSourceMappings({ client: aws.client(LambdaClient) }, {});
  for await (const { EventSourceMappings = [] } of pages) {
    found.push(...EventSourceMappings.filter(({ State }) => State !== DELETING).map(mappingFacts));
  }
  return found;
}
