// The page's own behaviour. It knows nothing of the assistant but the last lines.
const form = document.querySelector("#filter");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { value } = form.elements.status;
  for (const row of document.querySelectorAll("#invoices tbody tr")) {
    row.hidden = value !== "" && row.children[3].textContent !== value;
  }
});

// A card the assistant may show, and what accepting it does.
const { registerPayload } = window.pageside;
const sent = document.querySelector("#sent");
registerPayload("reminder", {
  title: (data) => `Reminder for invoice ${data.invoice}`,
  acceptLabel: "Send",
  acceptedLabel: "Sent",
  accept: (data) => {
    sent.textContent = `Reminder for invoice ${data.invoice} sent.`;
  },
  undo: () => {
    sent.textContent = "";
  },
});
