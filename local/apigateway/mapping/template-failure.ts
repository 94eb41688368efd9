/** A mapping template, or a mapping expression, cannot do what it says with this request; the fault is not the engine's. */
export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';
}
