import { parseArn } from '../../policy/arn';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import type { TemplateStack } from '../../template/template-stack';
import type { Inventory } from '../inventory/inventory';
import { readAlarms } from './alarms';
import { AppReading, type ResourceReading } from './app-reading';
import { readFunctions, readMappings, readTargets } from './functions';
import { readQueues, readQueueUsers } from './queues';
import { readKeys, readRoles } from './roles-and-keys';
import { readSubscriptions, readTopics } from './topics';

/** What all stacks are for, where it is one and they say so. */
function shared(what: string, values: readonly string[]): MaybeKnown<string> {
  const [first = '', ...others] = [...new Set(values)];
  if (others.length > 0) return { unknownBecause: `is not one: the stacks are for several ${what}s` };
  return hasStandIn(first) || first === '' ? { unknownBecause: `is chosen when the stacks are deployed` } : first;
}

/**
 * What an account will hold once these templates are deployed, as far as they tell.
 *
 * @param stacks those that are deployed together: what one of them exports another may import
 */
export function readTemplates(stacks: readonly TemplateStack[]): Inventory {
  const together = new AppReading(stacks);
  const apart = distinguished(together, stacks);
  const app = apart === stacks ? together : new AppReading(apart);
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
    alarms: readAlarms(app),
    keys: readKeys(app),
    roles: readRoles(app),
  };
}

/** What has a name that is its own in an account and a Region. */
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

/** The ARNs of what a stack surely makes, where it does not tell its Region or account. */
function openArns(resources: readonly ResourceReading[]): string[] {
  const arns = resources
    .filter(({ type, isCertain }) => isCertain && NAMED.has(type))
    .flatMap(it => knownValue(it.attribute('Arn')) ?? []);
  return arns.filter(arn => {
    const { region = '', account = '' } = parseArn(arn) ?? {};
    return hasStandIn(region) || hasStandIn(account);
  });
}

/** The stacks, by their index, that make what another makes too: both cannot be in one account and Region. */
function twinsIn(app: AppReading): ReadonlySet<number> {
  const makers = new Map<string, Set<number>>();
  app.byStack.forEach((resources, index) => {
    for (const arn of openArns(resources)) makers.set(arn, (makers.get(arn) ?? new Set()).add(index));
  });
  return new Set([...makers.values()].filter(({ size }) => size > 1).flatMap(it => [...it]));
}

/** By the index of each stack that of the first with which it imports, or is imported from: all those go to one place. */
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

/** A place is called after its first stack. */
function placeName(stacks: readonly TemplateStack[], index: number): string {
  const name = stacks[index]?.stackName ?? '';
  return stacks.filter(({ stackName }) => stackName === name).length > 1 ? `${name} ${index + 1}` : name;
}

/**
 * The stacks, with those told apart that go to different places: an app that makes one stack for several accounts or Regions,
 * and leaves it to the deployment which, has resources of the same names in each, and what is said of one is not so of others.
 */
export function distinguished(app: AppReading, stacks: readonly TemplateStack[]): readonly TemplateStack[] {
  const twins = twinsIn(app);
  if (twins.size === 0) return stacks;
  const places = placesOf(app);
  const apart = new Set([...twins].map(index => places[index]));
  return stacks.map((stack, index) => {
    const place = places[index] ?? index;
    return apart.has(place) ? { ...stack, place: placeName(stacks, place) } : stack;
  });
}
