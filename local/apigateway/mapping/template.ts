import { Compile, parse } from 'velocityjs';
import { asText, javaMethodHandlers } from './java';

/** What a template sees, by the names it uses: `input`, `util`, `context`, `stageVariables`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

type Node = ReturnType<typeof parse>[number];

/** Velocity as API Gateway speaks it: what is missing is empty, and values are written as Java writes them. */
class ApiGatewayVelocity extends Compile {
  /** velocityjs declares a string and answers whatever the reference stands for. */
  protected override getReferences(node: Node, isWritten?: boolean): string {
    const value = super.getReferences(node, isWritten);
    return isWritten ? asText(value) : value;
  }
}

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

  /** @throws Error when something the template calls fails, for example on a body that is not JSON */
  render(variables: TemplateVariables): string {
    const velocity = new ApiGatewayVelocity(this.nodes, { customMethodHandlers: javaMethodHandlers });
    return velocity.render({ ...variables }, undefined, true);
  }
}
