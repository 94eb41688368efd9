import { isKnown } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import type { TemplateStack } from '../../template/template-stack';
import type { ResourceReading } from '../template-reader/app-reading';
import { readApp } from '../template-reader/read-templates';
import {
  ACCESS_LOG_KILOBYTES,
  type CostAssumptions,
  DEFAULT_ASSUMPTIONS,
  KILOBYTES_IN_A_GIGABYTE,
  MILLION,
} from './assumptions';
import { type Billed, type BilledFor, type Charge, type Counted, charger, chargesOnly, unknownOf } from './charge';
import { CostedApp } from './costed-app';
import { feedIn, IDLE_METADATA } from './declared-usage';
import { invoked, queueCharges, topicCharges } from './message-charges';
import { metricCharges, monthlyCharges } from './monthly-charges';
import { PRICE_REGION, type PriceName } from './price-list';
import { togetherUnpriced, type Unpriced, unpricedOf } from './unpriced';

/** US dollars, by when they are billed. */
interface Dollars {
  /** In a month without messages. */
  readonly aMonthIdle: number;
  /** For a million messages at each entry. */
  readonly aMillionMessages: number;
  /** In a month for custom metrics that have data in each of its hours. */
  readonly metricsAtMost: number;
}

export interface CostLine {
  readonly billedFor: BilledFor;
  readonly price: PriceName;
  readonly units: number;
  readonly purpose: string;
  readonly dollars: number;
}

/** How many resources and alarms something has. */
interface Size {
  readonly resources: number;
  readonly alarms: number;
}

export interface ConstructCost extends Dollars, Size {
  readonly path: string;
  readonly lines: readonly CostLine[];
}

/** A place where messages enter the app, and the price of a million. */
interface EntryCost {
  readonly path: string;
  readonly kind: Entry['kind'];
  readonly dollars: number;
}

export interface AppCost extends Dollars, Size {
  readonly assumptions: CostAssumptions;
  /** What constructs of this package assume in addition, a sentence each. */
  readonly assumes: readonly string[];
  readonly entries: readonly EntryCost[];
  readonly constructs: readonly ConstructCost[];
  /** What could not be counted, a sentence each. */
  readonly unknown: readonly string[];
  /** The resources that the figures leave out. First those that cost something while they are unused. */
  readonly unpriced: readonly Unpriced[];
}

/** Whether the figures are all that AWS bills, apart from what is never counted. */
export function isWhole({ unknown, unpriced }: Pick<AppCost, 'unknown' | 'unpriced'>): boolean {
  return unknown.length === 0 && unpriced.length === 0;
}

/** What to compute. */
export interface CostOptions {
  readonly assumptions?: CostAssumptions;
  /** How many ids of a path below the stack make a construct of the report. 0 is the stack. @default 1 */
  readonly depth?: number;
  /** The stack to report. The others are read too. @default - all */
  readonly stackName?: string | undefined;
}

/** The path of the construct that a resource is reported with. */
function groupOf({ name, place }: Billed, stackPaths: ReadonlyMap<string, string>, depth: number): string {
  const stack = place?.stack.split('.')[0] ?? '';
  if (place?.constructPath === undefined) return depth === 0 ? stack : `${stack}/${name}`;
  const stackPath = stackPaths.get(stack) ?? name.split('/')[0] ?? '';
  const below = name.startsWith(`${stackPath}/`) ? name.slice(stackPath.length + 1).split('/') : [];
  return [stackPath, ...below.slice(0, depth)].join('/');
}

function total(charges: readonly { readonly dollars: number }[]): number {
  return charges.reduce((sum, { dollars }) => sum + dollars, 0);
}

function dollarsOf(charges: readonly Charge[]): Dollars {
  const of = (billedFor: BilledFor) => total(charges.filter(it => it.billedFor === billedFor));
  return { aMonthIdle: of('month'), aMillionMessages: of('million'), metricsAtMost: of('metrics') };
}

/** Adds charges of the same price and purpose. */
function linesOf(charges: readonly Charge[]): readonly CostLine[] {
  const lines = new Map<string, CostLine>();
  for (const { billedFor, price, purpose, units, dollars } of charges) {
    const key = `${billedFor} ${price} ${purpose}`;
    const { units: unitsBefore = 0, dollars: before = 0 } = lines.get(key) ?? {};
    lines.set(key, { billedFor, price, purpose, units: unitsBefore + units, dollars: before + dollars });
  }
  return [...lines.values()].sort((a, b) => b.dollars - a.dollars);
}

const ALARM_TYPES = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'];

function sizeOf(resources: readonly ResourceReading[]): Size {
  return { resources: resources.length, alarms: resources.filter(({ type }) => ALARM_TYPES.includes(type)).length };
}

/** Whatever is known to be deployed elsewhere has other prices. */
function otherRegions(app: CostedApp['app']): string[] {
  const regions = new Set(app.environments.map(({ region }) => region));
  const others = [...regions].filter(it => !hasStandIn(it) && it !== PRICE_REGION);
  return others.map(it => `The prices of ${it} differ: all prices are those of ${PRICE_REGION}`);
}

function grouped<T>(list: readonly T[], keyOf: (it: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const it of list) {
    const key = keyOf(it);
    const group = groups.get(key);
    if (group) group.push(it);
    else groups.set(key, [it]);
  }
  return groups;
}

function byConstruct(
  resources: readonly ResourceReading[],
  charges: readonly Charge[],
  group: (it: Billed) => string,
): readonly ConstructCost[] {
  const charged = grouped(charges, ({ resource }) => group(resource));
  const constructs = [...grouped(resources, it => group(it.as('')))].map(([path, its]): ConstructCost => {
    const own = charged.get(path) ?? [];
    return { path, ...sizeOf(its), ...dollarsOf(own), lines: linesOf(own) };
  });
  return constructs.sort(byWorth);
}

function worth({ aMonthIdle, aMillionMessages }: Dollars): number {
  return aMonthIdle + aMillionMessages;
}

function byWorth(a: ConstructCost, b: ConstructCost): number {
  return worth(b) - worth(a) || a.path.localeCompare(b.path, 'en');
}

/** The resource that CDK adds to each stack for its statistics. It costs nothing, and no construct of an app has it. */
const OF_CDK = 'AWS::CDK::Metadata';

/** Computes what the stacks of a stage cost by list prices, as far as their templates state it. */
function appCost(stacks: readonly TemplateStack[], options: CostOptions = {}): AppCost {
  const { assumptions = DEFAULT_ASSUMPTIONS, depth = 1, stackName } = options;
  const app = readApp(stacks);
  const costed = new CostedApp(app, assumptions);
  const isIn = ({ place }: Billed) => stackName === undefined || place?.stack.split('.')[0] === stackName;
  const stackPaths = new Map(stacks.flatMap(it => (it.stackPath === undefined ? [] : [[it.stackName, it.stackPath]])));
  const entries = entriesOf(costed);
  const all = [monthlyCharges(costed), metricCharges(costed), ...entries];
  const charges = all.flatMap(it => it.charges).filter(({ resource }) => isIn(resource));
  const resources = app.everyResource.filter(it => it.type !== OF_CDK && isIn(it.as('')));
  const group = (it: Billed) => groupOf(it, stackPaths, depth);
  const assumes = resources.flatMap(it => feedIn(it.metadata)?.assumes ?? []);
  return {
    assumptions,
    assumes: [...new Set(assumes)],
    ...sizeOf(resources),
    ...dollarsOf(charges),
    entries: entries
      .filter(({ resource }) => isIn(resource))
      .map(({ resource, kind, charges: own }) => ({ path: resource.name, kind, dollars: total(own) })),
    constructs: byConstruct(resources, charges, group),
    unknown: [...otherRegions(app), ...app.unread, ...new Set(all.flatMap(({ unknown }) => unknown))],
    unpriced: unpricedOf(resources),
  };
}

function sum(costs: readonly AppCost[], of: (cost: AppCost) => number): number {
  return costs.reduce((all, cost) => all + of(cost), 0);
}

/** Computes what the stages of an app cost together. Each is deployed on its own. */
export function stagesCost(stages: readonly (readonly TemplateStack[])[], options: CostOptions = {}): AppCost {
  const costs = stages.map(stacks => appCost(stacks, options));
  return {
    assumptions: options.assumptions ?? DEFAULT_ASSUMPTIONS,
    assumes: [...new Set(costs.flatMap(it => it.assumes))],
    resources: sum(costs, it => it.resources),
    alarms: sum(costs, it => it.alarms),
    aMonthIdle: sum(costs, it => it.aMonthIdle),
    aMillionMessages: sum(costs, it => it.aMillionMessages),
    metricsAtMost: sum(costs, it => it.metricsAtMost),
    entries: costs.flatMap(({ entries }) => entries),
    constructs: costs.flatMap(({ constructs }) => constructs).sort(byWorth),
    unknown: [...new Set(costs.flatMap(({ unknown }) => unknown))],
    unpriced: togetherUnpriced(costs.flatMap(({ unpriced }) => unpriced)),
  };
}

/** A place where messages enter an app, and what a million of them cost there and in what follows. */
interface Entry extends Counted {
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
function entriesOf(costed: CostedApp): readonly Entry[] {
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
