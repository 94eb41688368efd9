import type { CreateEventBusRequest, UpdateEventBusRequest } from '@aws-sdk/client-eventbridge';
import { notImplemented } from '../../kernel/aws-error';
import type { BusDefinition } from '../event-bus';
import { checkDeadLetterQueue } from './target-rules';

type BusInput = Omit<CreateEventBusRequest & UpdateEventBusRequest, 'Name' | 'Tags'>;

/**
 * What a request says of a bus. Its dead-letter queue takes what a customer's key keeps EventBridge from reading, and such
 * keys are not implemented; so it is kept, and never used.
 *
 * @throws AwsError for what is wrong, and for what the embedded EventBridge does not have
 */
export function busDefinition(input: BusInput, region: string): BusDefinition {
  const { Description, DeadLetterConfig, KmsKeyIdentifier, LogConfig, EventSourceName } = input;
  if (KmsKeyIdentifier) throw notImplemented("event buses encrypted with a customer's key");
  if (LogConfig && LogConfig.Level !== 'OFF') throw notImplemented('logs of event buses');
  if (EventSourceName) throw notImplemented('partner event buses');
  checkDeadLetterQueue(DeadLetterConfig?.Arn, region);
  return { description: Description, deadLetterConfig: DeadLetterConfig };
}
