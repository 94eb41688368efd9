import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import type { TemplateStack } from '../../../template/template-stack';

/** Resources by logical id, as a template has them. */
export type Resources = Readonly<Record<string, unknown>>;

/** A stack named `Test`, without a stated environment by default. */
export function stackWith(
  template: Readonly<Record<string, unknown>>,
  more: Partial<TemplateStack> = {},
): TemplateStack {
  return { stackName: 'Test', templatePath: 'Test.template.json', template, ...more };
}

/** Reads an inventory from one stack with these resources. */
export function inventoryOf(Resources: Resources, rest: Readonly<Record<string, unknown>> = {}): Inventory {
  return readTemplates([stackWith({ Resources, ...rest })]);
}

/** Returns the only item of a list. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length > 1) throw new Error(`there are ${list.length}`);
  return first;
}
