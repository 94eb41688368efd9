import type { Severity } from '../../../diagnosis/checks/finding';
import type { Inventory, TemplatePlace } from '../../../diagnosis/inventory/inventory';

/** A row of test data for a check: an inventory with the fault, inventories without it, and ones with unknown values. */
export interface Row {
  readonly id: string;
  readonly severity: Severity;
  readonly what: string;
  /** An inventory in which the check must find something. */
  readonly withFault: Inventory;
  /** The name of the resource with the finding. */
  readonly about: string;
  /** The ARNs of the other resources that the finding is about: `dlo` shows it for each of them. @default - none */
  readonly others?: readonly string[];
  /** The place of the fault in the resource of a template. @default - the resource as a whole */
  readonly location?: string;
  readonly says: RegExp;
  readonly fixSays?: RegExp;
  /** The operations of the fix. @default - the fix is not a list of calls, because a person must decide */
  readonly calls?: readonly string[];
  /** The same inventory without the fault, in one or more ways. */
  readonly withoutFault: readonly Inventory[];
  /** The same inventory, in which the deciding value is unknown. */
  readonly unknownBecause?: readonly Inventory[];
}

export interface Placed {
  readonly place: TemplatePlace;
}

/** Returns a place in the template of a stack named `Test`. */
export function placed(logicalId: string, place: Partial<TemplatePlace> = {}): Placed {
  return {
    place: { stack: 'Test', logicalId, templatePath: 'Test.template.json', waitsFor: [], ...place },
  };
}
