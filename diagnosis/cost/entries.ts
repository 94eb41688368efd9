import { isKnown } from '../../template/maybe-known';
import type { ResourceReading } from '../template-reader/app-reading';
import { ACCESS_LOG_KILOBYTES, KILOBYTES_IN_A_GIGABYTE, MILLION } from './assumptions';
import { type Billed, type Counted, charger, chargesOnly, unknownOf } from './charge';
import type { CostedApp } from './costed-app';
import { feedIn, IDLE_METADATA } from './declared-usage';
import { invoked, queueCharges, topicCharges } from './message-charges';

/** A place where messages enter an app, and what a million of them cost there and in what follows. */
export interface Entry extends Counted {
  readonly resource: Billed;
  readonly kind: 'topic' | 'queue' | 'function' | 'API';
}

const REST_API = 'AWS::ApiGateway::RestApi';
const HTTP_API = 'AWS::ApiGatewayV2::Api';

function hasAccessLog(api: ResourceReading, { app }: CostedApp): boolean {
  const rest = app.resources('AWS::ApiGateway::Stage').filter(it => it.given('RestApiId').text('') === api.ref);
  const http = app.resources('AWS::ApiGatewayV2::Stage').filter(it => it.given('ApiId').text('') === api.ref);
  return (
    rest.some(it => it.given('AccessLogSetting').isPresent) || http.some(it => it.given('AccessLogSettings').isPresent)
  );
}

/** A million requests to an API. What its integrations call is not counted. */
function apiCharges(api: ResourceReading, costed: CostedApp): Counted {
  const billed = api.as('');
  const isHttp = api.type === HTTP_API && api.given('ProtocolType').text('') === 'HTTP';
  if (api.type === HTTP_API && !isHttp) return unknownOf(billed, 'the price of a WebSocket API is not counted');
  const charge = charger(billed, 'million');
  const logGigabytes = (MILLION * ACCESS_LOG_KILOBYTES) / KILOBYTES_IN_A_GIGABYTE;
  return chargesOnly([
    charge(isHttp ? 'httpApiRequest' : 'restRequest', MILLION),
    ...(hasAccessLog(api, costed) ? [charge('logGigabyte', logGigabytes, 'access log')] : []),
  ]);
}

/** Functions that only asynchronous callers invoke, as far as a template shows it: they have a failure configuration. */
function asynchronousOnes(costed: CostedApp): readonly ResourceReading[] {
  const configured = costed.app
    .resources('AWS::Lambda::EventInvokeConfig')
    .map(it => it.given('FunctionName').text(''));
  const fed = [
    ...costed.subscriptions.map(({ endpoint }) => endpoint),
    ...costed.mappings.map(({ functionArn }) => functionArn),
  ].map(it => costed.functionAt(it));
  return [...costed.functions.values()].filter(it => {
    const isConfigured = configured.includes(it.ref) || configured.includes(it.attribute('Arn'));
    return !fed.includes(it) && (isConfigured || it.given('DeadLetterConfig').isPresent);
  });
}

/** The functions that rules, schedules or CloudFormation invoke: they get no messages. */
function otherwiseInvoked(costed: CostedApp): ReadonlySet<ResourceReading | undefined> {
  const { app } = costed;
  const scheduled = app.resources('AWS::Events::Rule', 'AWS::Scheduler::Schedule');
  const targets = scheduled
    .flatMap(it => [it.given('Targets').list(), it.given('Target').list()])
    .flatMap(list => (isKnown(list) ? list.map(it => it.at('Arn').text('')) : []));
  const tokens = app.everyResource.map(it => it.given('ServiceToken').text(''));
  return new Set([...targets, ...tokens].map(it => costed.functionAt(it)));
}

/**
 * Where messages enter an app. Topics that alarms publish to, and queues that only get messages when something fails,
 * get none while all is well.
 */
export function entriesOf(costed: CostedApp): readonly Entry[] {
  const { app, alarmTopics } = costed;
  const others = otherwiseInvoked(costed);
  const subscribed = new Set(costed.subscriptions.map(({ endpoint }) => endpoint));
  const topics = [...costed.topics].filter(
    ([arn, it]) => !alarmTopics.has(arn) && !costed.isFailureTarget(arn) && it.metadata[IDLE_METADATA] !== true,
  );
  const queues = [...costed.queues].filter(
    ([arn, it]) => !subscribed.has(arn) && !costed.isFailureTarget(arn) && !feedIn(it.metadata),
  );
  const functions = asynchronousOnes(costed).filter(it => !others.has(it));
  return [
    ...app
      .resources(REST_API, HTTP_API)
      .map((it): Entry => ({ resource: it.as(''), kind: 'API', ...apiCharges(it, costed) })),
    ...topics.map(([, it]): Entry => ({ resource: it.as(''), kind: 'topic', ...topicCharges(it, costed) })),
    ...queues.map(([, it]): Entry => ({ resource: it.as(''), kind: 'queue', ...queueCharges(it, costed) })),
    ...functions.map((it): Entry => ({ resource: it.as(''), kind: 'function', ...invoked(it, 1, costed) })),
  ];
}
