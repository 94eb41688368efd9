import { parseArn } from '../../../policy/arn';
import { regionalSnsPrincipal } from '../../../policy/aws-limits';
import { AwsError } from '../../kernel/aws-error';
import { afterLatency, type Latency, serviceCaller } from '../../kernel/caller';
import type { Random } from '../../kernel/random';
import type { Scheduler } from '../../kernel/timeline';
import type { Envelopes } from '../envelope/envelopes';
import type { FunctionInvoker, InvocationAnswer } from '../ports';
import { type AttemptEnd, type Delivery, serviceFailure, type Transport } from './transport';

/**
 * Invokes functions asynchronously. The delivery has succeeded when Lambda has accepted the event (202). Lambda, not
 * SNS, retries a function that fails.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export class FunctionTransport implements Transport {
  constructor(
    private readonly lambda: FunctionInvoker,
    private readonly envelopes: Envelopes,
    private readonly timeline: Scheduler,
    private readonly random: Random,
  ) {}

  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void {
    const latency: Latency = { ms: 0 };
    const end = this.invoke(delivery, latency);
    if (end instanceof Promise) {
      this.timeline.whenSettled(end, result => {
        const ended = result.status === 'fulfilled' ? this.taken(result.value) : this.failure(result.reason);
        afterLatency(this.timeline, latency, () => report(ended));
      });
    } else {
      afterLatency(this.timeline, latency, () => report(end));
    }
  }

  private invoke({ message, subscription }: Delivery, latency: Latency): AttemptEnd | Promise<InvocationAnswer> {
    const { topic, traceHeader } = message;
    const { region: from = '' } = parseArn(topic.arn) ?? {};
    const { region: to = from } = parseArn(subscription.endpoint) ?? {};
    const principal = regionalSnsPrincipal(from, to) ?? 'sns.amazonaws.com';
    const caller = { ...serviceCaller(principal, topic.arn, topic.account), traceHeader, latency };
    try {
      const answer = this.lambda.call('Invoke', caller, {
        FunctionName: subscription.endpoint,
        InvocationType: 'Event',
        Payload: this.envelopes.lambdaEvent(message, subscription),
      });
      return answer instanceof Promise ? answer : this.taken(answer);
    } catch (error) {
      return this.failure(error);
    }
  }

  private taken({ StatusCode = 202 }: InvocationAnswer): AttemptEnd {
    return {
      outcome: { kind: 'answered', statusCode: StatusCode },
      providerResponse: () => JSON.stringify({ lambdaRequestId: this.random.uuid() }),
    };
  }

  /** AWS shows no failed record of a function. This one has the format of the failed record of a queue. */
  private failure(error: unknown): AttemptEnd {
    if (!(error instanceof AwsError)) throw error;
    return serviceFailure({ protocol: 'lambda', error, random: this.random });
  }
}
