import type { ApiCall } from '../kernel/api';
import { AwsError } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import type { SqsContext } from './context';
import type { Directory } from './directory';
import { AccessRefused } from './errors';
import type { Queue } from './queue';

/** One call, without the request id SQS has no use for. */
export type Call<Input> = Omit<ApiCall<Input>, 'requestId'>;

/** What every action of SQS works with. */
export class Desk {
  constructor(
    readonly context: SqsContext,
    readonly directory: Directory,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** @throws AwsError the fault a scenario has set on this action and queue */
  checkFault(action: string, queueArn: string): void {
    const fault = this.context.faults.check('sqs', action, queueArn);
    if (fault) throw fault;
  }

  /**
   * @param permission for example `sqs:SendMessage`
   * @throws AwsError `AccessDenied`, with the text SNS's delivery log is on record with
   */
  checkAccess(caller: Caller, permission: string, queueArn: string, queue?: Queue): void {
    const resourcePolicy = queue?.settings.policy;
    const decision = this.context.access.decide({
      caller,
      action: permission,
      resource: queueArn,
      ...(resourcePolicy && { resourcePolicy }),
    });
    if (decision.allowed) return;
    const { region, urlSuffix } = this.context.place;
    const url = queue?.identity.url ?? `https://sqs.${region}.${urlSuffix}/`;
    throw new AccessRefused('AccessDenied', `Access to the resource ${url} is denied.`, 403, decision.reason);
  }

  /** Runs `work`; what it refuses, the trace remembers. */
  noting<Output>(action: string, queueArn: string, work: () => Output): Output {
    try {
      return work();
    } catch (error) {
      if (error instanceof AwsError) {
        const reason = error instanceof AccessRefused ? error.reason : error.message;
        this.context.trace.record({ type: 'sqs.refused', queueArn, action, code: error.code, reason });
      }
      throw error;
    }
  }
}
