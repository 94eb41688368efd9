import { parseArn } from '../../policy/arn';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import type { TemplateStack } from '../../template/template-stack';
import type { Inventory } from '../inventory/inventory';
import { readAlarms } from './alarms';
import { AppReading, type ResourceReading } from './app-reading';
import { readFunctions, readMappings, readTargets } from './functions';
import { readNotifications } from './notifications';
import { readQueueUsers } from './queue-users';
import { readQueues } from './queues';
import { readKeys, readRoles } from './roles-and-keys';
import { readServiceCalls } from './service-calls';
import { readSubscriptions, readTopics } from './topics';

/** The value that all stacks share, if they state one and agree. */
function shared(what: string, values: readonly string[]): MaybeKnown<string> {
  const [first = '', ...others] = [...new Set(values)];
  if (others.length > 0) return { unknownBecause: `differs: the stacks are for several ${what}s` };
  return hasStandIn(first) || first === '' ? { unknownBecause: `is chosen when the stacks are deployed` } : first;
}

/**
 * Reads the templates of an app.
 *
 * @param stacks those that are deployed together: a stack may import what another exports
 */
export function readApp(stacks: readonly TemplateStack[]): AppReading {
  const together = new AppReading(stacks);
  const apart = separateTwins(together, stacks);
  return apart === stacks ? together : new AppReading(apart);
}

/**
 * Reads the resources that an account will have when these templates are deployed, as far as the templates state them.
 *
 * @param stacks those that are deployed together: a stack may import what another exports
 */
export function readTemplates(stacks: readonly TemplateStack[]): Inventory {
  const app = readApp(stacks);
  const { environments, unread } = app;
  return {
    partition: environments[0]?.partition ?? 'aws',
    region: shared(
      'Region',
      environments.map(({ region }) => region),
    ),
    account: shared(
      'account',
      environments.map(({ account }) => account),
    ),
    isComplete: false,
    ...(unread.length > 0 && { unread }),
    topics: readTopics(app),
    subscriptions: readSubscriptions(app),
    queues: readQueues(app),
    functions: readFunctions(app),
    mappings: readMappings(app),
    targets: readTargets(app),
    queueUsers: readQueueUsers(app),
    notifications: readNotifications(app),
    serviceCalls: readServiceCalls(app),
    alarms: readAlarms(app),
    keys: readKeys(app),
    roles: readRoles(app),
  };
}

/** Resource types whose names are unique within an account and Region. */
const NAMED: ReadonlySet<string> = new Set([
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::Events::Rule',
  'AWS::IAM::Role',
  'AWS::Lambda::Function',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::Scheduler::Schedule',
]);

/** The ARNs that a stack certainly creates, if the stack does not state its Region or account. */
function openArns(resources: readonly ResourceReading[]): string[] {
  const arns = resources
    .filter(({ type, isCertain }) => isCertain && NAMED.has(type))
    .flatMap(it => knownValue(it.attribute('Arn')) ?? []);
  return arns.filter(arn => {
    const { region = '', account = '' } = parseArn(arn) ?? {};
    return hasStandIn(region) || hasStandIn(account);
  });
}

/**
 * The stacks, by index, that create a resource which another stack creates too: they cannot be in the same account and
 * Region.
 */
function twinsIn(app: AppReading): ReadonlySet<number> {
  const makers = new Map<string, Set<number>>();
  app.byStack.forEach((resources, index) => {
    for (const arn of openArns(resources)) makers.set(arn, (makers.get(arn) ?? new Set()).add(index));
  });
  return new Set([...makers.values()].filter(({ size }) => size > 1).flatMap(it => [...it]));
}

/**
 * For each stack, by index, the first stack it is connected with by imports: connected stacks are deployed to one
 * place.
 */
function placesOf(app: AppReading): readonly number[] {
  const places = app.byStack.map((_, index) => index);
  for (const resources of app.byStack) for (const it of resources) it.evaluateAll();
  for (const [one, other] of app.links()) {
    const [from, to] = [places[one] ?? one, places[other] ?? other];
    places.forEach((place, index) => {
      if (place === Math.max(from, to)) places[index] = Math.min(from, to);
    });
  }
  return places;
}

/** A place is named after its first stack. */
function placeName(stacks: readonly TemplateStack[], index: number): string {
  const name = stacks[index]?.stackName ?? '';
  return stacks.filter(({ stackName }) => stackName === name).length > 1 ? `${name} ${index + 1}` : name;
}

/**
 * Separates stacks that are deployed to different places. An app may create one stack for several accounts or Regions
 * that are only chosen at deployment. Then each has resources of the same names, and findings about one do not hold for
 * the others.
 */
function separateTwins(app: AppReading, stacks: readonly TemplateStack[]): readonly TemplateStack[] {
  const twins = twinsIn(app);
  if (twins.size === 0) return stacks;
  const places = placesOf(app);
  const apart = new Set([...twins].map(index => places[index]));
  return stacks.map((stack, index) => {
    const place = places[index] ?? index;
    return apart.has(place) ? { ...stack, place: placeName(stacks, place) } : stack;
  });
}
