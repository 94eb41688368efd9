import type { Alarm, IAlarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { RelayFleet } from '../fleet/relay-fleet';
import type { HttpRelay } from '../relay/http-relay';
import type { RelayedEndpointOptions } from '../relay/http-relay-props';
import type {
  EmailDeliveryOptions,
  EndpointDeliveryOptions,
  FirehoseDeliveryOptions,
  FunctionDeliveryOptions,
  PushDeliveryOptions,
  QueueDeliveryOptions,
  SmsDeliveryOptions,
  TopicDelivery,
  TopicDeliveryOptions,
} from './topic-delivery';

/**
 * A topic whose deliveries all have a dead-letter queue that is reachable and monitored: a `DurableTopic` or an
 * `ImportedTopic`.
 */
export interface IDurableTopic extends ITopic {
  /** Its alarms in this app, without those of its dead-letter queues. */
  readonly alarms: IAlarm[];

  /**
   * Fires when SNS could not deliver to a dead-letter queue, and a message is lost; undefined if there is no such
   * alarm.
   */
  readonly lostMessagesAlarm?: Alarm;

  /** Its deliveries in this app, in order, and the added subscriptions that have a dead-letter queue. */
  readonly deliveries: TopicDelivery[];

  /** Delivers to an SQS queue. */
  deliverToQueue(id: string, queue: IQueue, options?: QueueDeliveryOptions): TopicDelivery;

  /** Delivers to a Lambda function. */
  deliverToFunction(id: string, handler: IFunction, options?: FunctionDeliveryOptions): TopicDelivery;

  /** Delivers to an HTTP or HTTPS endpoint. */
  deliverToEndpoint(id: string, url: string, options?: EndpointDeliveryOptions): TopicDelivery;

  /** Delivers to an Amazon Data Firehose stream. */
  deliverToFirehose(id: string, stream: IDeliveryStream, options?: FirehoseDeliveryOptions): TopicDelivery;

  /** Delivers to an email address. */
  deliverToEmail(id: string, address: string, options?: EmailDeliveryOptions): TopicDelivery;

  /** Delivers to a phone, as text messages. */
  deliverToSms(id: string, phoneNumber: string, options?: SmsDeliveryOptions): TopicDelivery;

  /** Delivers to an app on a mobile device, as push notifications. */
  deliverToPush(id: string, endpointArn: string, options?: PushDeliveryOptions): TopicDelivery;

  /** Delivers through an existing relay. */
  deliverToRelay(id: string, relay: HttpRelay, options?: TopicDeliveryOptions): TopicDelivery;

  /** Delivers to the endpoints of a fleet. */
  deliverToFleet(id: string, fleet: RelayFleet, options?: TopicDeliveryOptions): TopicDelivery;

  /** Delivers to an endpoint through a new relay. */
  relayToEndpoint(id: string, url: string, options?: RelayedEndpointOptions): HttpRelay;

  /** Counts messages moved to a dead-letter queue. Sum over 5 minutes by default. */
  metricNotificationsRedrivenToDlq(options?: MetricOptions): Metric;

  /** Counts messages that could not be moved to their dead-letter queue and are lost. Sum over 5 minutes by default. */
  metricNotificationsFailedToRedriveToDlq(options?: MetricOptions): Metric;
}
