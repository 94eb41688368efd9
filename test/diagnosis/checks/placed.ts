import type { TemplatePlace } from '../../../diagnosis/inventory/inventory';

export interface Placed {
  readonly place: TemplatePlace;
}

/** Where something stands in the template of a stack named `Test`. */
export function placed(logicalId: string, place: Partial<TemplatePlace> = {}): Placed {
  return {
    place: { stack: 'Test', logicalId, templatePath: 'Test.template.json', waitsFor: [], ...place },
  };
}
