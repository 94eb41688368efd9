import { allKnown, isKnown, type MaybeKnown, mapKnown, thenKnown, type Unknown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import { mayBeSame } from '../../template/stand-in';
import type { QueueUserFacts } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';
import { streamRetries } from './functions';
import { queueArnAt } from './queues';

function deadLettersIn(of: PropertyValue): MaybeKnown<string | undefined> {
  return of.at('DeadLetterConfig').at('Arn').text(undefined);
}

/** Sources for which a pipe sends failures to a queue. */
const STREAMS: readonly string[] = ['KinesisStreamParameters', 'DynamoDBStreamParameters'];

const STOPPED = 'STOPPED';

function pipe(resource: ResourceReading): QueueUserFacts {
  const parameters = resource.given('SourceParameters');
  const targets = STREAMS.map(it => deadLettersIn(parameters.at(it)));
  const stream = STREAMS.map(it => parameters.at(it)).find(it => it.isPresent === true);
  return {
    ...resource.as(resource.attribute('Arn')),
    kind: 'pipe',
    isEnabled: mapKnown(resource.given('DesiredState').text('RUNNING'), it => it !== STOPPED),
    sourceArn: resource.given('Source').requiredText(),
    deadLetterTargetArn: targets.find(it => !isKnown(it)) ?? targets.find(it => it !== undefined),
    ...(stream && { streamRetries: streamRetries(name => stream.at(name)) }),
  };
}

function isArchived(busArn: MaybeKnown<string>, archives: readonly MaybeKnown<string>[]): MaybeKnown<boolean> {
  if (!isKnown(busArn)) return busArn;
  return thenKnown(allKnown(archives), sources => sources.some(it => mayBeSame(it, busArn)));
}

function bus(resource: ResourceReading, archives: readonly MaybeKnown<string>[]): QueueUserFacts {
  const arn = resource.attribute('Arn');
  return {
    ...resource.as(arn),
    kind: 'bus',
    isEnabled: true,
    sourceArn: undefined,
    deadLetterTargetArn: resource.given('DeadLetterConfig').at('Arn').text(undefined),
    keyId: resource.given('KmsKeyIdentifier').text(undefined),
    hasArchive: isArchived(arn, archives),
  };
}

const NO_URL: Unknown = { unknownBecause: 'is not the URL of a queue' };
const AT_DEPLOYMENT: Unknown = { unknownBecause: 'is only known at deployment' };

/** Whether a rule has an error action, or nothing that can fail. */
function handlesErrors(payload: PropertyValue): MaybeKnown<boolean> {
  const { isPresent } = payload.at('ErrorAction');
  const actions = payload.at('Actions').list();
  if (isPresent === undefined || !isKnown(actions)) return AT_DEPLOYMENT;
  return isPresent || actions.length === 0;
}

function iotRule(resource: ResourceReading): QueueUserFacts {
  const { partition } = resource.stack.environment;
  const payload = resource.given('TopicRulePayload');
  const url = payload.at('ErrorAction').at('Sqs').at('QueueUrl').text(undefined);
  const deadLetterTargetArn = thenKnown(url, it =>
    it === undefined ? undefined : (queueArnAt(it, partition) ?? NO_URL),
  );
  return {
    ...resource.as(resource.attribute('Arn')),
    kind: 'iot-rule',
    isEnabled: mapKnown(payload.at('RuleDisabled').flag(false), it => !it),
    sourceArn: undefined,
    deadLetterTargetArn,
    hasErrorAction: handlesErrors(payload),
  };
}

/** Other resources in an app's templates that read queues or send to them. */
export function readQueueUsers(app: AppReading): QueueUserFacts[] {
  const archives = app.resources('AWS::Events::Archive').map(it => it.given('SourceArn').requiredText());
  return [
    ...app.resources('AWS::Events::EventBus').map(it => bus(it, archives)),
    ...app.resources('AWS::Pipes::Pipe').map(pipe),
    ...app.resources('AWS::IoT::TopicRule').map(iotRule),
  ];
}
