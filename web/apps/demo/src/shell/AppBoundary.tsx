import { Component, type ReactNode } from "react";
import { Icon } from "../components/Icon.tsx";
import "../components/states.css";

/** Keeps the bar and the conversation when an application cannot be loaded or drawn. */
export class AppBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="main">
        <div className="panel state" role="alert">
          <span className="state-icon" data-tone="bad">
            <Icon name="alert" size={20} />
          </span>
          <h1 className="state-title">This page could not be shown</h1>
          <p className="state-text">{error.message}</p>
          <div className="state-actions">
            <button type="button" className="button" onClick={() => location.reload()}>
              Load it again
            </button>
          </div>
        </div>
      </main>
    );
  }
}
