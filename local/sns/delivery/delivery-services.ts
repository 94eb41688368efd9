import type { Protocol } from '../../../policy/outcome/protocol';
import type { ServiceContext } from '../../kernel/service-api';
import { Platforms } from '../direct-messages/mobile-push';
import { Phones } from '../direct-messages/text-messages';
import { Envelopes } from '../envelope/envelopes';
import { noSignature, signatureOf } from '../envelope/signing';
import type { SnsDependencies } from '../ports';
import type { SnsTraceEvent } from '../trace-events';
import { FunctionTransport } from '../transports/function-transport';
import { HttpTransport } from '../transports/http-transport';
import { QueueTransport } from '../transports/queue-transport';
import { deviceCheck, phoneCheck, Recipients, RecordedTransport, streamCheck } from '../transports/recorded-transport';
import type { Transport } from '../transports/transport';
import { SnsMetrics } from './metrics';
import { type Jitter, noJitter, seededJitter } from './retry-loop';
import { StatusLog } from './status-log';

/** What deliveries share: transports, metrics, the status log and the state of phones and devices. */
export interface DeliveryServices {
  readonly context: ServiceContext<SnsTraceEvent>;
  readonly transports: Readonly<Record<Protocol, Transport>>;
  readonly queues: QueueTransport;
  readonly http: HttpTransport;
  readonly mail: Readonly<Record<'email' | 'email-json', RecordedTransport>>;
  /** To devices and phones, both for subscriptions and for direct publishing. */
  readonly direct: Readonly<Record<'application' | 'sms', RecordedTransport>>;
  readonly platforms: Platforms;
  readonly phones: Phones;
  readonly recipients: Recipients;
  readonly envelopes: Envelopes;
  readonly statusLog: StatusLog;
  readonly metrics: SnsMetrics;
  readonly jitter: Jitter;
}

export interface DeliveryOptions {
  /** Whether SNS changes each retry delay at random (seeded) by up to 10 %. @default false */
  readonly jitter?: boolean;
  /**
   * Whether envelopes are signed, as on AWS. Signing takes most of the time of a simulation with many messages in envelopes; without it,
   * a text of the same length stands there. @default true
   */
  readonly signatures?: boolean;
}

export function makeDeliveryServices(
  context: ServiceContext<SnsTraceEvent>,
  dependencies: SnsDependencies,
  { jitter = false, signatures = true }: DeliveryOptions,
): DeliveryServices {
  const { timeline, random, place, access } = context;
  const envelopes = new Envelopes(place, signatures ? signatureOf : noSignature);
  const queues = new QueueTransport(dependencies.sqs, envelopes, place, timeline, random);
  const http = new HttpTransport(dependencies.network, envelopes, timeline, random);
  const { recipients = new Recipients(timeline) } = dependencies;
  const mail = {
    email: new RecordedTransport('email', recipients, envelopes),
    'email-json': new RecordedTransport('email-json', recipients, envelopes),
  };
  const platforms = new Platforms(place, random);
  const phones = new Phones(timeline);
  const direct = {
    application: new RecordedTransport('application', recipients, envelopes, deviceCheck(platforms)),
    sms: new RecordedTransport('sms', recipients, envelopes, phoneCheck(phones)),
  };
  return {
    context,
    transports: {
      ...mail,
      ...direct,
      firehose: new RecordedTransport(
        'firehose',
        recipients,
        envelopes,
        streamCheck(access, dependencies.roles, dependencies.streams),
      ),
      http,
      https: http,
      lambda: new FunctionTransport(dependencies.lambda, envelopes, timeline, random),
      sqs: queues,
    },
    queues,
    http,
    mail,
    direct,
    platforms,
    phones,
    recipients,
    envelopes,
    statusLog: new StatusLog(context, dependencies),
    metrics: new SnsMetrics(context.metrics),
    jitter: jitter ? seededJitter(random.stream('jitter')) : noJitter,
  };
}
