package retrieve

import (
	"fmt"
	"slices"
	"strings"
)

// statements are the pages of the primary statements of the annual reports of
// filings, found by their titles.
type statements struct {
	doc, company          string
	year                  int
	income, balance, cash []int
}

func allStatements() []statements {
	return []statements{
		{"3M_2022_10K", "3M", 2022, []int{48}, []int{50}, []int{52}},
		{"AMCOR_2023_10K", "AMCOR", 2023, []int{50}, []int{52}, []int{53}},
		{"AMERICANWATERWORKS_2022_10K", "American Water Works", 2022, []int{83}, []int{81, 82}, []int{85}},
		{"BESTBUY_2019_10K", "Best Buy", 2019, []int{53}, []int{52}, []int{55}},
		{"BLOCK_2016_10K", "Block", 2016, []int{69}, []int{68}, []int{73}},
		{"BOEING_2018_10K", "Boeing", 2018, []int{50}, []int{52}, []int{53}},
		{"BOEING_2022_10K", "Boeing", 2022, []int{55}, []int{57}, []int{59}},
		{"COSTCO_2021_10K", "Costco", 2021, []int{36}, []int{38}, []int{40}},
		{"GENERALMILLS_2019_10K", "General Mills", 2019, []int{53}, []int{55}, []int{57}},
		{"KRAFTHEINZ_2019_10K", "Kraft Heinz", 2019, []int{50}, []int{52}, []int{54}},
		{"MGMRESORTS_2022_10K", "MGM Resorts", 2022, []int{60}, []int{59}, []int{62}},
		{"MICROSOFT_2023_10K", "Microsoft", 2023, []int{58}, []int{60}, []int{61}},
	}
}

// statementQuestions asks each annual report for figures of its statements, as
// analysts word it: the statements that have them (i, b, c), and the question.
func statementQuestions() []filing {
	asked := []string{
		`c|What is the FY%y capital expenditure amount (in USD millions) for %c? Give a response to the question by relying on the details shown in the cash flow statement.`,
		`b|Assume that you are a public equities analyst. Answer the following question by primarily using information that is shown in the balance sheet: what is the year end FY%y net PPNE for %c? Answer in USD billions.`,
		`c|Using the cash flow statement, answer the following question to the best of your abilities: how much did %c generate in cash flow from operating activities in FY%y? Answer in USD millions.`,
		`i|Taking into account the information outlined in the income statement, what is the FY%p - FY%y total revenue growth rate for %c? Answer in units of percents and round to one decimal place.`,
		`bi|What is %c's FY%y fixed asset turnover ratio? Fixed asset turnover ratio is defined as: FY%y revenue / (average PP&E between FY%p and FY%y). Round your answer to two decimal places. Base your judgments on the information provided primarily in the statement of income and the statement of financial position.`,
		`ci|What is the FY%y unadjusted EBITDA % margin for %c? Calculate unadjusted EBITDA using unadjusted operating income and D&A (from cash flow statement).`,
		`i|We want to calculate a financial metric. Please help us compute it by basing your answers off of the P&L statement. Here's the question: what is %c's FY%y COGS % margin?`,
		`b|According to the details clearly outlined within the balance sheet, how much total current liabilities did %c have at the end of FY%y? Answer in USD thousands.`,
		`b|Does %c have a healthy liquidity profile based on its quick ratio for FY%y? If the quick ratio is not relevant to measure liquidity, please state that and explain why.`,
		`c|How much (in USD billions) did %c pay out in cash dividends for FY%y? Compute or extract the answer by primarily using the details outlined in the statement of cash flows.`,
		`bi|What is %c's FY%y return on assets (ROA)? ROA is defined as: FY%y net income / (average total assets between FY%p and FY%y). Round your answer to two decimal places. Give a response to the question by relying on the details shown in the balance sheet and the P&L statement.`,
		`i|What is %c's FY%y net income attributable to shareholders (in USD millions)? Refer to the line items in the income statement.`,
		`bc|You are an investment banker and your only resource(s) to answer the following question is (are): the statement of financial position and the cash flow statement. Here's the question: what is the FY%y operating cash flow ratio for %c? Operating cash flow ratio is defined as: cash from operations / total current liabilities.`,
		`i|Does %c have an improving gross margin profile as of FY%y? If gross margin is not a useful metric for a company like this, then state that and explain why.`,
		`bic|Is %c a capital-intensive business based on FY%y data?`,
		`i|Has %c's operating margin improved between FY%p and FY%y?`,
		`i|What was %c's effective tax rate in FY%y?`,
		`c|How much did %c spend on share buybacks in FY%y?`,
	}
	var all []filing
	for _, s := range allStatements() {
		pages := map[rune][]int{'i': s.income, 'b': s.balance, 'c': s.cash}
		for i, line := range asked {
			kinds, text, _ := strings.Cut(line, "|")
			text = strings.NewReplacer("%y", fmt.Sprint(s.year), "%p", fmt.Sprint(s.year-1), "%c", s.company).Replace(text)
			q := filing{ID: fmt.Sprint(s.doc, " ", i), Question: text, Doc: "docs/" + s.doc + ".pdf"}
			for _, k := range kinds {
				q.Pages = slices.Concat(q.Pages, pages[k])
			}
			all = append(all, q)
		}
	}
	return all
}
