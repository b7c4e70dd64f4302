/** The second text's examples, as printed. See `page.tsx`. */
import { useEffect, useState } from "react";
import { useAssistantAction, type AssistantAction } from "./context_provider/public.js";
import {
  CheckCircle,
  CheckIcon,
  DatabaseIcon,
  deployToEnvironment,
  ErrorIcon,
  fetchDataSources,
  LoadingIcon,
  Modal,
  performRiskyOperation,
  ProgressBar,
  searchWeb,
  showConfirmDialog,
  showSelectionDialog,
  Spinner,
  startDeployment,
  Step,
  StepLabel,
  Stepper,
  WarningIcon,
  XIcon,
} from "./application.js";

export const confirmAction: AssistantAction = {
  name: "confirmAction",
  description: "Ask the user to confirm an action before proceeding",
  parameters: {
    type: "object",
    properties: {
      action: {
        type: "string",
        description: "The action that needs confirmation",
      },
      importance: {
        type: "string",
        enum: ["low", "medium", "high", "critical"],
        description: "The importance level of the action",
      },
    },
    required: ["action"],
  },
  handler: async ({ action, importance }) => {
    const confirmed = await showConfirmDialog({
      message: `Do you want to ${action}?`,
      severity: importance,
    });

    return confirmed ? "approved" : "rejected";
  },
};

export function MyComponent() {
  useAssistantAction(confirmAction);
  return null;
}

export function SearchComponent() {
  useAssistantAction({
    name: "web_search",
    description: "Search the web for information",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "The search query",
        },
      },
      required: ["query"],
    },
    handler: async ({ query }) => {
      const results = await searchWeb(query);
      return results;
    },
    render: ({ status, args, result, error }) => {
      if (status === "pending") {
        return (
          <div className="tool-status">
            <Spinner /> Preparing to search...
          </div>
        );
      }

      if (status === "executing") {
        return (
          <div className="tool-status">
            <Spinner /> Searching for "{args.query}"...
          </div>
        );
      }

      if (status === "complete") {
        return (
          <div className="tool-result">
            <CheckIcon /> Found {result.length} results for "{args.query}"
          </div>
        );
      }

      if (status === "failed") {
        return (
          <div className="tool-error">
            <ErrorIcon /> Search failed: {error.message}
          </div>
        );
      }
    },
  });
  return null;
}

export function Deployment({ hasDeploymentPermissions }: { hasDeploymentPermissions: boolean }) {
  useAssistantAction({
    name: "deployApplication",
    description: "Deploy the application to a target environment",
    parameters: {
      type: "object",
      properties: {
        environment: {
          type: "string",
          enum: ["dev", "staging", "production"],
        },
        version: {
          type: "string",
        },
      },
      required: ["environment", "version"],
    },
    handler: async ({ environment, version }) => {
      const deploymentId = await startDeployment(environment, version);

      return {
        deploymentId,
        status: "initiated",
        estimatedTime: "5 minutes",
      };
    },
    enabled: hasDeploymentPermissions,
    deps: [hasDeploymentPermissions],
  });
  return null;
}

export function Analysis() {
  useAssistantAction({
    name: "analyzing_data",
    description: "Analyzing data patterns",
    available: "disabled",
    render: ({ status, args }) => {
      return (
        <div className="analysis-status">
          {status !== "complete" && (
            <>
              <ProgressBar value={args.progress} />
              Analyzing {args.dataSource}...
            </>
          )}
          {status === "complete" && (
            <>
              <CheckCircle /> Analysis complete for {args.dataSource}
            </>
          )}
        </div>
      );
    },
  });
  return null;
}

export function ConfirmDeletion() {
  useAssistantAction({
    name: "confirmDeletion",
    description: "Confirm before deleting resources",
    parameters: {
      type: "object",
      properties: {
        resourceType: { type: "string" },
        resourceName: { type: "string" },
      },
      required: ["resourceType", "resourceName"],
    },
    handler: async ({ resourceType, resourceName }) => {
      const confirmed = await Modal.confirm({
        title: "Confirm Deletion",
        content: `Are you sure you want to delete ${resourceType}: ${resourceName}?`,
      });
      return confirmed;
    },
    render: ({ status, args, result }) => {
      if (status === "executing") {
        return (
          <div className="confirmation-pending">
            <WarningIcon /> Waiting for confirmation to delete {args.resourceName}...
          </div>
        );
      }
      if (status === "complete") {
        return (
          <div className="confirmation-result">
            {result ? (
              <>
                <CheckIcon /> User confirmed deletion of {args.resourceName}
              </>
            ) : (
              <>
                <XIcon /> User cancelled deletion of {args.resourceName}
              </>
            )}
          </div>
        );
      }
    },
  });
  return null;
}

export function SelectDataSource() {
  useAssistantAction({
    name: "selectDataSource",
    description: "Let user select from available data sources",
    parameters: {
      type: "object",
      properties: {
        dataTypes: {
          type: "array",
          items: { type: "string" },
        },
      },
    },
    handler: async ({ dataTypes }) => {
      const availableSources = await fetchDataSources(dataTypes);
      const selected = await showSelectionDialog(availableSources);
      return selected;
    },
    render: ({ status, args, result }) => {
      if (status === "executing") {
        return (
          <div className="selection-progress">
            <Spinner /> Loading available data sources for {args.dataTypes.join(", ")}...
          </div>
        );
      }
      if (status === "complete" && result) {
        return (
          <div className="selection-complete">
            <DatabaseIcon /> Selected: {result.name} ({result.type})
          </div>
        );
      }
    },
  });
  return null;
}

export function ApiRequest() {
  useAssistantAction({
    name: "api_request",
    description: "Making API request",
    available: "disabled",
    render: ({ status, args }) => {
      return (
        <div className="api-status">
          {status === "executing" && (
            <>
              <LoadingIcon /> Calling {args.endpoint}...
              <ProgressBar indeterminate />
            </>
          )}
          {status === "complete" && (
            <>
              <CheckCircle /> Successfully called {args.endpoint}
            </>
          )}
        </div>
      );
    },
  });
  return null;
}

export function DeploymentProcess() {
  useAssistantAction({
    name: "deployment_process",
    description: "Deploy application through multiple stages",
    parameters: {
      type: "object",
      properties: {
        environment: { type: "string" },
        version: { type: "string" },
      },
    },
    handler: async ({ environment, version }) => {
      await deployToEnvironment(environment, version);
      return { success: true, deploymentId: "12345" };
    },
    /* eslint-disable react-hooks/rules-of-hooks -- as printed */
    render: ({ status, args, result }) => {
      const [currentStep, setCurrentStep] = useState(0);
      const steps = ["Validating", "Building", "Testing", "Deploying", "Verifying"];

      useEffect(() => {
        if (status === "executing") {
          const interval = setInterval(() => {
            setCurrentStep((prev) => Math.min(prev + 1, steps.length - 1));
          }, 2000);
          return () => clearInterval(interval);
        }
        // eslint-disable-next-line react-hooks/exhaustive-deps
      }, [status]);

      return (
        <div className="deployment-status">
          <h4>
            Deploying {args.version} to {args.environment}
          </h4>
          <Stepper activeStep={currentStep}>
            {steps.map((step) => (
              <Step key={step}>
                <StepLabel>{step}</StepLabel>
              </Step>
            ))}
          </Stepper>
          {status === "complete" && result.success && (
            <div className="deployment-success">
              <CheckCircle /> Deployment {result.deploymentId} completed successfully
            </div>
          )}
        </div>
      );
    },
    /* eslint-enable react-hooks/rules-of-hooks */
  });
  return null;
}

export function RiskyOperation() {
  useAssistantAction({
    name: "riskyOperation",
    description: "Perform an operation that might fail",
    parameters: {},
    handler: async (args) => {
      try {
        const result = await performRiskyOperation(args);
        return { success: true, data: result };
      } catch (caught) {
        const error = caught as Error; // strict: what is caught is unknown
        console.error("Action failed:", error);

        return {
          success: false,
          error: error.message,
          errorType: error.name,
          suggestion: "Please try again or ask the user for different parameters",
        };
      }
    },
  });
  return null;
}
