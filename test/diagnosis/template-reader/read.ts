import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import type { TemplateStack } from '../../../template/template-stack';

/** Resources by logical id, as a template has them. */
export type Resources = Readonly<Record<string, unknown>>;

/** A stack named `Test` whose environment nobody tells, unless said otherwise. */
export function stackWith(
  template: Readonly<Record<string, unknown>>,
  more: Partial<TemplateStack> = {},
): TemplateStack {
  return { stackName: 'Test', templatePath: 'Test.template.json', template, ...more };
}

/** What is read of one stack that has these resources. */
export function inventoryOf(Resources: Resources, rest: Readonly<Record<string, unknown>> = {}): Inventory {
  return readTemplates([stackWith({ Resources, ...rest })]);
}

/** The first of a list that must have one. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length > 1) throw new Error(`there are ${list.length}`);
  return first;
}
