import { BadInput } from '../../../account/errors';
import type { ConsoleSource, Control } from '../source';

export function controlOf({ control }: ConsoleSource): Control {
  if (control) return control;
  throw new BadInput(['only a simulation can be controlled: start one with dlo local']);
}
