import { evaluate } from '../../template/evaluate';
import { isPending } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import type { StackPlan } from './plan-stack';
import { propertyChanges } from './property-changes';
import type { LiveResource } from './stack-record';
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
