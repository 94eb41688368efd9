import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { INVOKE_CLIENT_CONFIG, MOVE_CLIENT_CONFIG } from '../../mover/aws/aws-calls';
import type { ClientSettings } from './connection';

const ONE_ATTEMPT = 1;

const ONCE = { retryStrategy: new StandardRetryStrategy(ONE_ATTEMPT) };

/** A response as the SDK has it before it is parsed. */
interface RawAnswer {
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** A client that makes each call once. The caller paces each attempt, and a call without a response may have succeeded. */
export class OneAttemptSqs extends SQSClient {
  private answered: number | undefined;

  constructor(settings: ClientSettings) {
    super({ ...settings, ...MOVE_CLIENT_CONFIG, ...ONCE });
    this.middlewareStack.add(
      next => async call => {
        const answer = await next(call);
        const { response } = answer as RawAnswer;
        const atMs = Date.parse(response?.headers?.['date'] ?? '');
        if (!Number.isNaN(atMs)) this.answered = atMs;
        return answer;
      },
      { step: 'deserialize', priority: 'low', name: 'readServerTime' },
    );
  }

  /** The time in the last response of SQS, rounded down to the second. Undefined before the first response that has one. */
  get answeredAtMs(): number | undefined {
    return this.answered;
  }
}

export class OneAttemptLambda extends LambdaClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, ...INVOKE_CLIENT_CONFIG, ...ONCE });
  }
}

/** Makes each call once, with the timeouts of the connection. A call without a response may have sent its messages. */
export class UnrepeatedSqs extends SQSClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, retryStrategy: new StandardRetryStrategy(async () => 1) });
  }
}
