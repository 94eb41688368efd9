import {
  type FunctionConfiguration,
  type FunctionEventInvokeConfig,
  GetFunctionConcurrencyCommand,
  GetPolicyCommand,
  LambdaClient,
  paginateListFunctionEventInvokeConfigs,
} from '@aws-sdk/client-lambda';
import type { EventInvokeFacts, FunctionFacts } from '../../diagnosis/inventory/inventory';
import { qualifierOf } from '../../diagnosis/inventory/look-ups';
import type { MaybeKnown } from '../../template/told';
import { logGroupNameOf } from '../connection/functions';
import { type AccountReader, type Question, unlessGone } from './account-reader';
import { policyOf, unlessEmpty } from './attribute-text';

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
