import type { Severity } from '../../../diagnosis/checks/finding';
import type { Inventory, TemplatePlace } from '../../../diagnosis/inventory/inventory';

/** A check's row: what it finds, and beside it what is well, or not told. */
export interface Row {
  readonly id: string;
  readonly severity: Severity;
  readonly what: string;
  readonly sick: Inventory;
  /** What it is about, by name. */
  readonly about: string;
  readonly says: RegExp;
  /** The operations of the fix, where there are calls. @default - only a person can say how */
  readonly calls?: readonly string[];
  /** The same without the fault. */
  readonly well: readonly Inventory[];
  /** The same, and what would tell is not told. */
  readonly unknownBecause?: readonly Inventory[];
}

export interface Placed {
  readonly place: TemplatePlace;
}

/** Where something stands in the template of a stack named `Test`. */
export function placed(logicalId: string, place: Partial<TemplatePlace> = {}): Placed {
  return {
    place: { stack: 'Test', logicalId, templatePath: 'Test.template.json', waitsFor: [], ...place },
  };
}
