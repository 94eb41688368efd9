import { Constraints as RequestConstraints } from '../kernel/constraints';
import { validationError } from './errors';

/** Collects what is wrong with the members of a request, and refuses it as CloudWatch does. */
export class Constraints extends RequestConstraints {
  constructor() {
    super(validationError);
  }
}
