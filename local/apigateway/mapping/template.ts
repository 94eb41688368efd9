import { parse } from 'velocityjs';
import { javaMethodHandlers } from './java';
import { TemplateFailure } from './template-failure';
import { ApiGatewayVelocity, type Node } from './velocity';

/** What a template sees, by the names it uses: `input`, `util`, `context`, `stageVariables`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/**
 * A mapping template.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/models-mappings.html
 */
export class Template {
  private readonly nodes: Node[];

  /** @throws Error when the text is not in the Velocity Template Language */
  constructor(readonly text: string) {
    this.nodes = parse(text);
  }

  /** @throws TemplateFailure when something the template calls fails, for example on a body that is not JSON */
  render(variables: TemplateVariables): string {
    const velocity = new ApiGatewayVelocity(this.nodes, { customMethodHandlers: javaMethodHandlers });
    return velocity.render({ ...variables }, undefined, true);
  }
}

/** What `run` answers; what a template or a mapping expression cannot do becomes what `refuse` makes of it. */
export function orRefused<Result>(run: () => Result, refuse: (failure: TemplateFailure) => Error): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof TemplateFailure ? refuse(error) : error;
  }
}
