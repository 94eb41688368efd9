import { isDeepStrictEqual } from 'node:util';
import type { ChangeSetType, DescribeChangeSetOutput } from '@aws-sdk/client-cloudformation';
import { evaluate } from '../../template/evaluate';
import { isPending, scalarText } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import type { StackArtifact } from './assembly';
import type { StackPlan } from './plan-stack';
import { schemaOf } from './resource-schemas';
import type { LiveResource, StackRecord } from './stack-record';
import type { StackWork } from './stack-work';
import type { TemplateResource } from './template';

/** What an update would do with one resource. */
export interface PredictedChange {
  readonly action: 'Add' | 'Modify' | 'Remove';
  readonly logicalId: string;
  readonly type: string;
  readonly before: LiveResource | undefined;
  readonly resource: TemplateResource | undefined;
  /** `Conditional`: a create-only property gets a value that is not known before the update. */
  readonly replacement: 'True' | 'False' | 'Conditional';
  /** The changed properties at the top level. */
  readonly changed: readonly string[];
  /** The new properties; values that are not known yet are pending. */
  readonly after: JsonObject;
}

/**
 * Predicts the changes of an update, as a change set lists them. A resource that will be replaced has no known values
 * yet, so resources that refer to it change too.
 */
export function predictChanges(plan: StackPlan, work: StackWork): readonly PredictedChange[] {
  const before = new Map(work.live);
  const changes = plan.creations.flatMap(({ resource }): PredictedChange[] => {
    const { logicalId, type } = resource;
    const known = before.get(logicalId);
    const evaluated = work.resolved(evaluate(resource.properties, 'Properties', work.scope, () => {}));
    const after = isObject(evaluated) ? evaluated : {};
    const about = { logicalId, type, before: known, resource, after };
    if (!known) return [{ ...about, action: 'Add', replacement: 'False', changed: [] }];
    const { changed, replacing } = propertyChanges(type, known.properties, after);
    if (changed.length === 0) return [];
    const isSure = replacing.some(path => !isPending(after[path.split('.')[0] ?? '']));
    const replacement = isSure ? 'True' : replacing.length > 0 ? 'Conditional' : 'False';
    if (replacement !== 'False') work.live.delete(logicalId);
    return [{ ...about, action: 'Modify', replacement, changed }];
  });
  const wanted = new Set(plan.creations.map(({ resource }) => resource.logicalId));
  const removed = [...before.values()].filter(({ logicalId }) => !wanted.has(logicalId));
  return [
    ...changes,
    ...removed.map(it => ({
      action: 'Remove' as const,
      logicalId: it.logicalId,
      type: it.type,
      before: it,
      resource: undefined,
      replacement: 'False' as const,
      changed: [],
      after: {},
    })),
  ];
}

/** How the properties of a resource differ from those it was last deployed with. */
interface PropertyChanges {
  readonly changed: readonly string[];
  /** Those whose change replaces the resource: create-only properties, nested ones too. */
  readonly replacing: readonly string[];
}

/**
 * Compares properties as CloudFormation does: numbers and booleans as they are written. The registry's schema says
 * which changes replace the resource.
 *
 * **Assumption CFN-5:** A property that only sometimes needs a replacement never does. For most of them AWS describes
 * the cases in prose. None of the types that the embedded AWS simulates has such a property.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
 */
export function propertyChanges(type: string, before: JsonObject, after: JsonObject): PropertyChanges {
  const [old, now] = [asText(before), asText(after)];
  const differs = (path: readonly string[]) => !isDeepStrictEqual(valuesAt(old, path), valuesAt(now, path));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return {
    changed: names.filter(name => differs([name])),
    replacing: (schemaOf(type)?.createOnly ?? []).filter(path => differs(path.split('.'))),
  };
}

/** The name that both versions of a template give to a resource itself, such as `QueueName` of a queue. */
export function customName(type: string, before: JsonObject, after: JsonObject): string | undefined {
  const own = ['Name', `${type.split('::').at(-1)}Name`];
  const isKept = (name: string) => typeof after[name] === 'string' && after[name] === before[name];
  const name = (schemaOf(type)?.createOnly ?? []).find(path => own.includes(path) && isKept(path));
  return name === undefined ? undefined : String(after[name]);
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, asText(it)]));
  return scalarText(value) ?? value;
}

/** The values at a path. `*` stands for every item of a list or member of an object. */
function valuesAt(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (first === '*') {
    const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    return items.map(item => valuesAt(item, rest));
  }
  return isObject(value) ? valuesAt(value[first], rest) : undefined;
}

export interface RequestedStack {
  readonly artifact: StackArtifact;
  readonly given: Readonly<Record<string, string>>;
}

/** A change set, which is computed when it is created, and planned again when it is executed. */
export interface ChangeSet {
  readonly name: string;
  readonly arn: string;
  readonly stack: StackRecord;
  readonly wanted: RequestedStack;
  readonly type: ChangeSetType;
  readonly changes: readonly PredictedChange[];
  readonly createdAtMs: number;
  readonly capabilities: DescribeChangeSetOutput['Capabilities'];
  readonly isEmpty: boolean;
  isExecuted: boolean;
}
