import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { MOVE_CLIENT_CONFIG } from '../../mover/aws-calls';
import type { ClientSettings } from './connection';

const ONE_ATTEMPT = 1;

const SETTLED = { ...MOVE_CLIENT_CONFIG, retryStrategy: new StandardRetryStrategy(ONE_ATTEMPT) };

/** An answer, as the SDK hands it on before it is read. */
interface RawAnswer {
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** A client that asks once: each attempt has its turn by the pace, and what had no answer may have been done. */
export class OneAttemptSqs extends SQSClient {
  private answered: number | undefined;

  constructor(settings: ClientSettings) {
    super({ ...settings, ...SETTLED });
    this.middlewareStack.add(
      next => async call => {
        const answer = await next(call);
        const { response } = answer as RawAnswer;
        const atMs = Date.parse(response?.headers?.['date'] ?? '');
        if (!Number.isNaN(atMs)) this.answered = atMs;
        return answer;
      },
      { step: 'deserialize', priority: 'low', name: 'hearTime' },
    );
  }

  /** What SQS said that time was, with its last answer: the second that had begun. Undefined where it never said. */
  get answeredAtMs(): number | undefined {
    return this.answered;
  }
}

/** The same of Lambda. */
export class OneAttemptLambda extends LambdaClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, ...SETTLED });
  }
}

/** Makes each call once: SQS may have done what it did not answer to, and a letter is not sent twice to find out. */
export class UnrepeatedSqs extends SQSClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, retryStrategy: new StandardRetryStrategy(async () => 1) });
  }
}
