import { SQSClient } from '@aws-sdk/client-sqs';
import { StandardRetryStrategy } from '@smithy/core/retry';
import type { ClientSettings } from '../../../../account/connection/connection';

/** Makes each call once: SQS may have done what it did not answer to, and a letter is not sent twice to find out. */
export class UnrepeatedSqs extends SQSClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, retryStrategy: new StandardRetryStrategy(async () => 1) });
  }
}
