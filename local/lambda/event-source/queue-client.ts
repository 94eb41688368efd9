import type { Message } from '@aws-sdk/client-sqs';
import { queueUrl } from '../../event-delivery/targets';
import type { RoleTrust } from '../../kernel/access';
import { AccessRefused, AwsError } from '../../kernel/aws-error';
import { type Caller, type Latency, roleCaller } from '../../kernel/caller';
import type { FunctionTarget } from '../function/deployed-function';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { Queues } from '../ports';
import { batchVisibilitySeconds, type MappingConfiguration } from './mapping-configuration';
import type { MappingTrace } from './mapping-telemetry';

/** How long a mapping waits after its source rejected a request. **Assumption LAMBDA-9:** AWS does not publish this. */
export const REFUSED_PAUSE_MS = 20_000;

/**
 * The caller that Lambda becomes when it assumes the role of a function.
 *
 * @throws AwsError when the role's trust policy does not let it, at each call: the policy may have changed
 */
export function executionRole(roles: RoleTrust, roleArn: string): Caller {
  const { allowed, reason } = roles.decideAssumeRole('lambda.amazonaws.com', roleArn);
  if (allowed) return roleCaller(roleArn);
  const text = `User: lambda.amazonaws.com is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
  throw new AccessRefused('AccessDenied', text, 403, reason);
}

/** The maximum number of messages that one call receives or deletes. */
const MOST_MESSAGES = 10;

interface QueueResponse<T> {
  readonly result: T;
  readonly latency: Latency;
}

/** The result of several calls: the number of deleted messages, and the error if SQS rejected others. */
interface Deletion {
  readonly deleted: number;
  readonly rejected?: AwsError;
}

/** Calls a queue with the permissions of the function's role. */
export class QueueClient {
  constructor(
    private readonly services: { readonly sqs: Queues; readonly roles: RoleTrust },
    readonly queueArn: string,
    private readonly roleArn: () => string,
  ) {}

  receive(count: number, visibilitySeconds: number | undefined): QueueResponse<readonly Message[] | AwsError> {
    return this.call(caller => {
      const answer = this.services.sqs.call('ReceiveMessage', caller, {
        QueueUrl: this.url,
        MaxNumberOfMessages: count,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(visibilitySeconds !== undefined && { VisibilityTimeout: visibilitySeconds }),
      });
      if ('then' in answer) throw new Error('a short poll must be answered immediately');
      return answer.Messages ?? [];
    });
  }

  /** A FIFO queue does not delete a message that another consumer has received since. */
  delete(messages: readonly Message[]): QueueResponse<Deletion> {
    const latency: Latency = { ms: 0 };
    let deleted = 0;
    for (let from = 0; from < messages.length; from += MOST_MESSAGES) {
      const entries = messages.slice(from, from + MOST_MESSAGES);
      const { result } = this.call(caller => {
        const { Successful = [] } = this.services.sqs.call('DeleteMessageBatch', caller, {
          QueueUrl: this.url,
          Entries: entries.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
        });
        return Successful.length;
      }, latency);
      if (result instanceof AwsError) return { result: { deleted, rejected: result }, latency };
      deleted += result;
    }
    return { result: { deleted }, latency };
  }

  visibilitySeconds(): QueueResponse<number | AwsError> {
    return this.call(caller => {
      const { Attributes } = this.services.sqs.call('GetQueueAttributes', caller, {
        QueueUrl: this.url,
        AttributeNames: ['VisibilityTimeout'],
      });
      return Number(Attributes?.VisibilityTimeout);
    });
  }

  private call<T>(request: (caller: Caller) => T, latency: Latency = { ms: 0 }): QueueResponse<T | AwsError> {
    try {
      return { result: request({ ...executionRole(this.services.roles, this.roleArn()), latency }), latency };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return { result: error, latency };
    }
  }

  private get url(): string {
    return queueUrl(this.services.sqs, this.queueArn);
  }
}

/** Receives messages while the function exists. */
export class Receiver {
  private isWatching = false;

  /** @param onFunction called when the function, version or alias exists again */
  constructor(
    private readonly queue: QueueClient,
    private readonly configuration: MappingConfiguration,
    private readonly target: FunctionTarget,
    private readonly trace: MappingTrace,
    private readonly onFunction: () => void,
  ) {}

  /** Whether the function exists. If not, calls `onFunction` when it does. */
  hasFunction(): boolean {
    if (this.target.found) {
      this.trace.functionFound();
      return true;
    }
    this.trace.functionMissing();
    if (this.isWatching) return false;
    this.isWatching = true;
    this.target.whenBack(() => {
      this.isWatching = false;
      this.onFunction();
    });
    return false;
  }

  /**
   * @param waiting the number of messages in the open batch
   * @throws AwsError when the function does not exist
   */
  receive(waiting: number): QueueResponse<readonly Message[] | AwsError> {
    const { batchSize, maximumBatchingWindowSeconds: windowSeconds } = this.configuration;
    const count = Math.min(MOST_MESSAGES, batchSize - waiting);
    if (windowSeconds === 0) return this.queue.receive(count, undefined);
    const own = this.queue.visibilitySeconds();
    if (own.result instanceof AwsError) return { result: own.result, latency: own.latency };
    const { timeoutSeconds }: FunctionConfiguration = this.target.configuration;
    const { result, latency } = this.queue.receive(
      count,
      batchVisibilitySeconds(windowSeconds, timeoutSeconds, own.result),
    );
    return { result, latency: { ms: own.latency.ms + latency.ms } };
  }
}
