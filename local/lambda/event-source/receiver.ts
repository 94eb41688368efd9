import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { FunctionTarget } from '../function/function-target';
import { batchVisibilitySeconds, type MappingConfiguration } from './mapping-configuration';
import type { MappingTrace } from './mapping-journal';
import { MOST_MESSAGES, type QueueAnswer, type QueueClient } from './queue-client';

/** Receives for a function, as long as there is one. */
export class Receiver {
  private isWatching = false;

  /** @param onFunction called when the function, version or alias is back */
  constructor(
    private readonly queue: QueueClient,
    private readonly configuration: MappingConfiguration,
    private readonly target: FunctionTarget,
    private readonly journal: MappingTrace,
    private readonly onFunction: () => void,
  ) {}

  /** Whether there is a function to receive for; if not, it calls back once there is. */
  hasFunction(): boolean {
    if (this.target.found) {
      this.journal.functionFound();
      return true;
    }
    this.journal.functionMissing();
    if (this.isWatching) return false;
    this.isWatching = true;
    this.target.whenBack(() => {
      this.isWatching = false;
      this.onFunction();
    });
    return false;
  }

  /**
   * @param waiting messages that are already waiting for their batch to fill
   * @throws AwsError when the function is gone
   */
  receive(waiting: number): QueueAnswer<readonly Message[] | AwsError> {
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
